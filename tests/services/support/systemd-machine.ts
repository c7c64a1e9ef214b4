import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runIn } from '../../support/consumer.ts';
import { eventually } from '../../support/eventually.ts';

const UNIT = 'auth-gateway.service';

/** A machine with systemd that runs the gateway by its unit. */
export interface SystemdMachine {
  /** Runs a program in it as root, and returns what it prints. */
  run(...words: string[]): Promise<string>;
  /** The lines of `/proc/<pid>/status` of the gateway, by name. Waits until it runs. */
  gatewayStatus(): Promise<Map<string, string>>;
  stop(): Promise<void>;
}

/** True if this user may make the namespaces of such a machine. */
export const canRunSystemd = (): boolean =>
  spawnSync('unshare', [
    '--pid',
    '--mount',
    '--uts',
    '--ipc',
    '--cgroup',
    '--fork',
    'mount',
    '-t',
    'tmpfs',
    'tmpfs',
    '/mnt',
  ]).status === 0;

/**
 * Starts a machine on which deploy/systemd is installed as docs/operations/install.md says.
 * @param settings replace those of deploy/systemd/auth-gateway.env
 * @param secrets the files in /etc/auth-gateway/secrets and their texts
 */
export async function startSystemdMachine(
  settings: Record<string, string>,
  secrets: Record<string, string>,
): Promise<SystemdMachine> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-systemd-'));
  const [files, memory] = [path.join(folder, 'files'), path.join(folder, 'memory')];
  await mkdir(memory);
  await install(files, settings, secrets);
  const script = path.resolve('tests/services/support/systemd-machine.sh');
  const machine = spawn(script, [files, process.execPath, path.resolve('.'), memory], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const run = async (...words: string[]) => {
    const init = await processWith((text) => text.startsWith('/lib/systemd/systemd\0'), machine);
    return runIn('/', 'nsenter', '-t', init, '--mount', '--pid', '--cgroup', ...words);
  };
  return {
    run,
    async gatewayStatus() {
      const gateway = await processWith((text) => text.includes('\0dist/main.js\0'), machine);
      const lines = (await readFile(`/proc/${gateway}/status`, 'utf8')).split('\n');
      return new Map(lines.map((line) => [line.split(':')[0] ?? '', line.split(/\s+/)[1] ?? '']));
    },
    async stop() {
      const ended = once(machine, 'close');
      machine.stdin?.end();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function install(
  files: string,
  settings: Record<string, string>,
  secrets: Record<string, string>,
): Promise<void> {
  const [units, own] = [path.join(files, 'etc/systemd/system'), path.join(files, 'etc/auth-gateway')];
  await mkdir(units, { recursive: true });
  await mkdir(path.join(own, 'secrets'), { recursive: true, mode: 0o700 });
  await cp(`deploy/systemd/${UNIT}`, path.join(units, UNIT));
  const programs = path.join(files, 'usr/local/bin');
  await mkdir(programs, { recursive: true });
  await cp('deploy/systemd/auth-gateway', path.join(programs, 'auth-gateway'));
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
  const text = await readFile('deploy/systemd/auth-gateway.env', 'utf8');
  await writeFile(path.join(own, 'auth-gateway.env'), text + lines.join(''));
  for (const [name, secret] of Object.entries(secrets)) {
    await writeFile(path.join(own, 'secrets', name), secret, { mode: 0o400 });
  }
}

/** Waits for a process of the machine with such a command line, and returns its id. @throws if the machine ends before */
async function processWith(
  matches: (commandLine: string) => boolean,
  machine: ChildProcess,
): Promise<string> {
  let found: string | undefined;
  await eventually(async () => {
    expect(machine.exitCode).toBeNull();
    const group = `auth-gateway-test-${machine.pid}/`;
    for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const [groups, commandLine] = await Promise.all(
        ['cgroup', 'cmdline'].map((file) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '')),
      );
      if (groups?.includes(group) && matches(commandLine ?? '')) {
        found = id;
      }
    }
    expect(found).toBeDefined();
  });
  return found as string;
}
