import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { watch } from '../../support/gateway-process.ts';
import { expectNoSecretsIn } from '../../support/response-record.ts';

/** A gateway in its own process, as an operator runs it, so that it can be killed. */
export interface KillableGateway {
  url: string;
  /** Ends it as kill -9 does: nothing of it runs any more. Nor was any secret logged. */
  kill(): Promise<void>;
}

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Starts a gateway and waits until it is ready.
 * @param shell commands that run before it, for example to lower a limit of the process
 * @throws if it does not start
 */
export async function startGateway(settings: Record<string, string>, shell = ''): Promise<KillableGateway> {
  const child = spawn('sh', ['-c', `${shell} exec "$0" dist/main.js`, process.execPath], {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, ...settings },
  });
  const gateway = watch(child);
  const kill = async () => {
    gateway.signal('SIGKILL');
    await gateway.exitCode();
    expectNoSecretsIn(gateway.stdout + gateway.stderr);
  };
  const url = await gateway.url().catch(async (error: unknown) => {
    await kill();
    throw error;
  });
  return { url, kill };
}
