import path from 'node:path';
import type { Gateway } from './app/gateway.ts';
import { keepCompiledCode } from './patches/compiled-code.ts';
import type { Clock } from './system/clock.ts';

/*
 * For @auth-gateway/testing of the same version alone: a gateway by a clock that tests set, and the commands of operators beside it.
 * main.ts is the program.
 */

/**
 * Starts a gateway in this process. Its start line is on standard output.
 * @param environment the settings
 * @throws ConfigError, and what a start throws
 */
export async function startGateway(
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): Promise<Gateway> {
  keepCompiledCode(path.join(import.meta.dirname, '../node_modules/.cache/auth-gateway'));
  const [{ readConfig }, { startServer }, { createGateway }] = await Promise.all([
    import('./config/config.ts'),
    import('./database/server.ts'),
    import('./app/gateway.ts'),
  ]);
  const config = readConfig(environment);
  const gateway = await createGateway({ config, environment, starting: startServer(config.database), clock });
  await gateway.start();
  return gateway;
}

export { runCommand } from './commands.ts';
