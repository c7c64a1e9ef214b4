import { type Addresses, type App, createApp } from './app.ts';
import { type Config, loadEnvironment, readConfig } from './config.ts';
import { createLog } from './log.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** One line that tells a person where everything is. */
function startLine({ address, baseUrl, metrics }: Addresses, { database, storageDir }: Config): string {
  const data =
    database.kind === 'embedded' ? `${database.dataDir} (embedded database)` : 'MongoDB (MONGODB_URI)';
  const places = [
    `GraphQL ${baseUrl}/graphql`,
    `REST ${baseUrl}/api/v1/auth`,
    `data ${data}`,
    `documents ${storageDir}`,
    ...(address === baseUrl ? [] : [`listening on ${address}`]),
    ...(metrics === undefined ? [] : [`metrics ${metrics}/metrics`]),
  ];
  return `auth-gateway is ready: ${places.join(', ')}\n`;
}

function stopOnSignals(app: App): void {
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      for (const second of SIGNALS) process.once(second, () => process.exit(1));
      app.stop().then(() => process.exit(0), fail);
    });
  }
}

function fail(error: unknown): never {
  process.stderr.write(`auth-gateway: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

try {
  const config = readConfig(loadEnvironment());
  const app = createApp(config, createLog(config.logLevel));
  stopOnSignals(app);
  process.stdout.write(startLine(await app.start(), config));
} catch (error) {
  fail(error);
}
