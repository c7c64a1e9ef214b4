import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * The same options as in the image. The young generation is small, because the chunks of an upload are in it. The old one
 * grows slowly, because otherwise a third of it would be garbage.
 */
export const MAIN = ['--max-semi-space-size=8', '--heap-growing-percent=80', 'dist/main.js'];

/** A folder for one server, and the settings that keep its data there. */
export function scratchFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'auth-gateway-bench-'));
  return {
    settings: { DATA_DIR: path.join(folder, 'data'), STORAGE_DIR: path.join(folder, 'storage') },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}

/** The setting of production. Express, Apollo Server and graphql-js depend on it. */
const PRODUCTION = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  BASE_URL: 'http://gateway.example',
  EMBEDDED_DATABASE: 'allow',
  RATE_LIMIT: 'off',
};

/** The first line with an address in it. */
async function readyLine(child) {
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const line = /^.*(?:http|mongodb):\/\/\S+:\d+.*$/m.exec(text)?.[0];
    if (line && text.includes('\n')) {
      return line;
    }
  }
  throw new Error(`${child.spawnargs.slice(1).join(' ')} ended before it was ready`);
}

/**
 * Starts a server in its own process and folder, and waits for the line with its address.
 * @param port 0 takes a free one
 */
export async function startServer(args, port, settings = {}) {
  const folder = scratchFolder();
  // Empty, so that .env cannot set a database of the developer.
  const unset = { MONGODB_URI: '', LOG_LEVEL: 'silent' };
  const env = { ...process.env, ...unset, PORT: String(port), ...folder.settings, ...settings };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  // After a failure of the benchmark, no process may stay.
  const abandon = () => {
    child.kill('SIGKILL');
    folder.remove();
  };
  process.once('exit', abandon);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const line = await readyLine(child);
  child.stdout.resume();
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    folder.remove();
    process.off('exit', abandon);
  };
  const listening = Number(/127\.0\.0\.1:(\d+)/.exec(line)[1]);
  return { port: listening, pid: child.pid, line, folder: folder.settings, stop };
}

/** The gateway with the options of `npm start`, on its embedded database unless the settings name another. */
export const startGateway = (port, settings) => startServer(MAIN, port, settings);

/** The gateway in production, without limits: a benchmark has one address. */
export function startProduction(settings = {}) {
  const folder = process.env.BENCH_PROFILE;
  const profile = folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
  return startServer([...profile, ...MAIN], 0, { ...PRODUCTION, ...settings });
}

/** One of the servers in bench/yardsticks. */
export const startYardstick = (name, settings = {}) =>
  startServer([fileURLToPath(new URL(`../yardsticks/${name}.js`, import.meta.url))], 0, {
    ...PRODUCTION,
    ...settings,
  });

/**
 * The embedded engine alone, for a benchmark that reads or writes the records itself.
 * @param folder for its data, which stays; by default a temporary folder that is removed
 * @param settings of its process
 */
export async function startDatabase(folder, settings) {
  const scratch = folder ? undefined : scratchFolder();
  const path = folder ?? scratch.settings.DATA_DIR;
  const server = await startServer(
    ['packages/embedded-mongo/dist/cli.js', 'serve', '--port', '0', '--path', path],
    0,
    settings,
  );
  const stop = () => server.stop().finally(scratch?.remove);
  return { uri: /mongodb:\S+/.exec(server.line)[0], pid: server.pid, stop };
}

/** The CPU time of processes so far. Linux counts it in hundredths of a second (proc(5), utime and stime). */
export const cpuMillis = (pids) =>
  pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return sum + 10 * (Number(fields[11]) + Number(fields[12]));
  }, 0);

/**
 * Waits until processes rest: after its start a gateway checks every token.
 * @param millisEach processor time within a second at rest
 */
export async function untilIdle(pids, millisEach) {
  for (let before = 0, after = Infinity; after - before > millisEach; ) {
    before = cpuMillis(pids);
    await sleep(1000);
    after = cpuMillis(pids);
  }
}

/** The resident memory of a process. */
export const residentMebibytes = (pid) => statusMebibytes(pid, 'VmRSS');

/** Its part that is no page of a file: the system cannot take it back. */
export const anonymousMebibytes = (pid) => statusMebibytes(pid, 'RssAnon');

const statusMebibytes = (pid, field) =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
