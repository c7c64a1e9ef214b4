import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A gateway in a process of its own, as an operator runs it, so that it can be killed. */
export interface GatewayProcess {
  url: string;
  /** Ends it as kill -9 does: nothing of it runs any more. */
  kill(): Promise<void>;
}

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs a built program of this package. */
export const run = (program: string, args: string[], settings: Record<string, string>): ChildProcess =>
  spawn(process.execPath, [`dist/${program}`, ...args], {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** A gateway gives a database 0.9 s to answer; on a machine that runs all tests at once it may take longer. */
const ATTEMPTS = 5;

/**
 * Starts a gateway and waits until it is ready.
 * @param shell what a shell is to do before, for example to lower a limit of the process
 * @throws when it does not start
 */
export async function startGateway(settings: Record<string, string>, shell = ''): Promise<GatewayProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryToStart(settings, shell);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function tryToStart(settings: Record<string, string>, shell: string): Promise<GatewayProcess> {
  const child = spawn('sh', ['-c', `${shell} exec "$0" dist/main.js`, process.execPath], {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const [line = ''] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
  const [url] = /http:\S+(?=\/graphql)/.exec(line) ?? [];
  if (url === undefined) throw new Error(`the gateway did not start: ${line}`);
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { url, kill };
}

/** Runs a program to its end. */
export async function output(program: string, args: string[], settings: Record<string, string>) {
  const child = run(program, args, settings);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
