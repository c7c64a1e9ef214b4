import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { NamedFinding } from '../../src/cli/doctor/check.ts';
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
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-doctor-'));
});
afterEach(async () => {
  for (const socket of sockets) {
    socket.destroy();
  }
  silent.close();
  await rm(folder, { recursive: true });
});

/** Starts the built doctor with all that it asks at the silent server. */
function startDoctor(settings: Record<string, string> = {}): GatewayProcess {
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
    spawn(process.execPath, [path.resolve('dist/auth-gateway.js'), 'doctor', '--json'], { cwd: folder, env }),
  );
}

test('with servers that never answer the doctor ends, and names each of them', async () => {
  const doctor = startDoctor();
  expect(await doctor.exitCode()).toBe(2);
  const lines = doctor.stdout.trim().split('\n').slice(0, -1);
  const findings = lines.map((line) => JSON.parse(line) as NamedFinding);
  const errors = findings.filter(({ level }) => level === 'error').map(({ check }) => check);
  expect(errors).toEqual(['database', 'mail', 'proxies']);
  expect(doctor.stdout + doctor.stderr).not.toContain('hunter2');
  expect(await readdir(folder)).toEqual([]);
});

test('Ctrl-C stops the doctor, and it leaves nothing behind', async () => {
  const doctor = startDoctor();
  await once(silent, 'connection');
  doctor.signal('SIGINT');
  expect(await doctor.exitCode()).toBe(2);
  expect(doctor.stderr).toBe('auth-gateway doctor: Stopped.\n');
  expect(doctor.stdout).not.toContain('"check":"documents"');
  expect(await readdir(folder)).toEqual([]);
});
