import type { Connection, ConnectOptions } from 'mongoose';
import { connect } from './connect.ts';

export type DatabaseConfig = { kind: 'mongodb'; uri: string } | { kind: 'embedded'; dataDir: string };

/** An open database, whichever it is. */
export interface Database {
  connection: Connection;
  close(): Promise<void>;
}

/**
 * Opens the configured MongoDB, or starts the embedded engine and opens that over the same driver: one code path.
 * @param prepare is done first, on a connection of its own that waits for as long as it takes: building an index over
 *   an imported collection may take longer than any request may
 * @param options of the connection for serving requests, over the usual ones
 * @throws when the database cannot be reached or started; nothing is left running
 */
export async function openDatabase(
  config: DatabaseConfig,
  prepare: (connection: Connection) => Promise<void>,
  options: ConnectOptions = {},
): Promise<Database> {
  const server =
    config.kind === 'mongodb' ? { uri: config.uri, stop: async () => {} } : await startEngine(config);
  try {
    const preparing = await connect(server.uri, { socketTimeoutMS: 0 });
    await prepare(preparing).finally(() => preparing.close());
    const connection = await connect(server.uri, options);
    return { connection, close: () => connection.close().finally(server.stop) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function startEngine({ dataDir }: { dataDir: string }) {
  // Loaded only here: whoever has a MongoDB does not pay for an engine.
  const { startEmbeddedMongo } = await import('../embedded-mongo/index.ts');
  return startEmbeddedMongo({ path: dataDir });
}
