import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runIn } from '../../support/consumer.ts';
import { eventually } from '../../support/eventually.ts';

/** A machine with systemd that runs the gateway by its unit. */
export interface SystemdMachine {
  /** Runs a program in it as root, and returns what it prints. */
  run(...words: string[]): Promise<string>;
  /** Runs lines of a shell in the folder of the gateway. @param folder the variable of this name in the documentation */
  type(code: string, folder?: string): Promise<string>;
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

/** The steps that take minutes, or that the machine has instead: it has the gateway as /opt/auth-gateway-1 and -2. */
const LEFT_OUT = /^(?:npm |sudo cp |folder=)/;

/** The lines of the block of shell commands in which a page of the documentation has this text, without those that are left out. */
export async function documentedLines(page: string, text: string): Promise<string> {
  const document = await readFile(page, 'utf8');
  const blocks = [...document.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code);
  const block = blocks.find((code) => code.includes(text)) ?? '';
  const lines = block.split('\n').filter((line) => line !== '' && !LEFT_OUT.test(line));
  expect(lines.length).toBeGreaterThan(1);
  return lines.join('\n');
}

/**
 * Starts a machine, installs the gateway as docs/operations/install.md says, and starts it.
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
  await mkdir(path.join(files, 'usr/local/bin'), { recursive: true });
  // Everybody is root there.
  await writeFile(path.join(files, 'usr/local/bin/sudo'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  const script = path.resolve('tests/services/support/systemd-machine.sh');
  const machine = spawn(script, [files, process.execPath, path.resolve('.'), memory], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const run = async (...words: string[]) => {
    const init = await processWith((text) => text.startsWith('/lib/systemd/systemd\0'), machine);
    return runIn('/', 'nsenter', '-t', init, '--mount', '--pid', '--cgroup', ...words);
  };
  const type = (code: string, folderOfVersion = '/opt/auth-gateway-1') =>
    run('bash', '-euc', `cd /opt/auth-gateway-1; folder=${folderOfVersion}\n${code}`);
  const install = async () => {
    await eventually(() => run('systemctl', 'is-system-running', '--wait').catch(() => {}));
    await type(await documentedLines('docs/operations/install.md', 'useradd'));
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
    await type(`cat >> /etc/auth-gateway/auth-gateway.env << 'END'\n${lines.join('\n')}\nEND`);
    for (const [name, secret] of Object.entries(secrets)) {
      await type(`umask 377; cat > /etc/auth-gateway/secrets/${name} << 'END'\n${secret}END`);
    }
    await type('systemctl enable --now auth-gateway');
  };
  const stop = async () => {
    const ended = once(machine, 'close');
    machine.stdin?.end();
    await ended;
    await rm(folder, { recursive: true });
  };
  await install().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    run,
    type,
    async gatewayStatus() {
      const gateway = await processWith((text) => text.includes('\0dist/main.js\0'), machine);
      const lines = (await readFile(`/proc/${gateway}/status`, 'utf8')).split('\n');
      return new Map(lines.map((line) => [line.split(':')[0] ?? '', line.split(/\s+/)[1] ?? '']));
    },
    stop,
  };
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
