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

/**
 * Starts a gateway and waits until it is ready.
 * @param shell what a shell is to do before, for example to lower a limit of the process
 */
export async function startGateway(settings: Record<string, string>, shell = ''): Promise<GatewayProcess> {
  const child = spawn('sh', ['-c', `${shell} exec "$0" dist/main.js`, process.execPath], {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
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
