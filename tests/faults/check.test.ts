import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NamedFinding } from '../../src/cli/check/check.ts';
import { type GatewayProcess, watch } from '../support/gateway-process.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { mailSettings } from '../support/reset-codes.ts';

/** A server that accepts every connection and never answers. */
const sockets = new Set<Socket>();
let silent: Server;
let port: number;
let folder: string;
beforeEach(async () => {
  silent = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  port = await listenOnFreePort(silent);
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-check-'));
});
afterEach(async () => {
  for (const socket of sockets) {
    socket.destroy();
  }
  silent.close();
  await rm(folder, { recursive: true });
});

/** Starts the built checker with all that it asks at the silent server. */
function startChecker(settings: Record<string, string> = {}): GatewayProcess {
  const env = {
    PATH: process.env.PATH,
    ...mailSettings(`smtp://127.0.0.1:${port}`),
    MONGODB_URI: `mongodb://user:hunter2@127.0.0.1:${port}/x`,
    BASE_URL: `http://127.0.0.1:${port}`,
    STORAGE_DIR: path.join(folder, 'storage'),
    BCRYPT_COST: '10',
    PORT: '0',
    ...settings,
  };
  return watch(
    spawn(process.execPath, [path.resolve('dist/auth-gateway.js'), 'check', '--json'], { cwd: folder, env }),
  );
}

test('with servers that never answer the checker ends, and names each of them', async () => {
  const checker = startChecker();
  expect(await checker.exitCode()).toBe(2);
  const lines = checker.stdout.trim().split('\n').slice(0, -1);
  const findings = lines.map((line) => JSON.parse(line) as NamedFinding);
  const errors = findings.filter(({ level }) => level === 'error').map(({ check }) => check);
  expect(errors).toEqual(['database', 'mail', 'proxies']);
  expect(checker.stdout + checker.stderr).not.toContain('hunter2');
  expect(await readdir(folder)).toEqual([]);
});

test('Ctrl-C stops the checker, and it leaves nothing behind', async () => {
  const checker = startChecker();
  await once(silent, 'connection');
  checker.signal('SIGINT');
  expect(await checker.exitCode()).toBe(2);
  expect(checker.stderr).toBe('auth-gateway check: Stopped.\n');
  expect(checker.stdout).not.toContain('"check":"documents"');
  expect(await readdir(folder)).toEqual([]);
});
