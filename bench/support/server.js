import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** As `npm start` runs it: the young generation is kept small, because the chunks of an upload live in it. */
export const MAIN = ['--enable-source-maps', '--max-semi-space-size=4', 'dist/main.js'];

/** A folder of a server's own, and the settings that keep its data there. */
export function scratchFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'auth-gateway-bench-'));
  return {
    settings: { DATA_DIR: path.join(folder, 'data'), STORAGE_DIR: path.join(folder, 'storage') },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}

/** Starts a server in a process and a folder of its own, and waits for its first line. */
export async function startServer(args, port, settings = {}) {
  const folder = scratchFolder();
  const env = { ...process.env, PORT: String(port), LOG_LEVEL: 'silent', ...folder.settings, ...settings };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const line = await Promise.race([
    new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim()))),
    exited.then(() => {
      throw new Error(`${args.join(' ')} ended before it was ready`);
    }),
  ]);
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    folder.remove();
  };
  return { port, pid: child.pid, line, stop };
}

/** The gateway as `npm start` runs it, on its embedded database unless the settings name another. */
export const startGateway = (port, settings) => startServer(MAIN, port, settings);

/** The embedded engine alone, for a benchmark that must reach the records behind the gateway's back. */
export async function startDatabase() {
  const folder = scratchFolder();
  const args = ['dist/embedded-mongo/cli.js', 'serve', '--port', '0', '--path', folder.settings.DATA_DIR];
  const server = await startServer(args, 0);
  const stop = () => server.stop().finally(folder.remove);
  return { uri: /mongodb:\S+/.exec(server.line)[0], pid: server.pid, stop };
}

export const residentMebibytes = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
