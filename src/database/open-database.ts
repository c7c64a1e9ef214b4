import type { EmbeddedMongo } from '@auth-gateway/embedded-mongo';
import type { Connection, ConnectOptions } from 'mongoose';
import { makeFolder } from '../system/make-folder.ts';
import { messageOf } from '../system/system-errors.ts';
import { connect } from './connect.ts';
import { type DatabaseWait, waitForDatabase } from './wait-for-database.ts';

export type DatabaseConfig =
  | { kind: 'mongodb'; uri: string }
  | { kind: 'embedded'; dataDir: string }
  /** The embedded engine without files. */
  | { kind: 'memory' };

/** An open database of either kind. */
export interface Database {
  connection: Connection;
  /**
   * Writes a backup to a new folder, while everything else goes on. Absent for a MongoDB, which has tools of its own.
   * @param signal ends it early
   */
  backup?: ((folder: string, signal: AbortSignal) => Promise<unknown>) | undefined;
  close(): Promise<void>;
}

/**
 * Opens the configured MongoDB, or starts the embedded engine and opens it with the same driver.
 * @param prepare runs first, on its own connection without a time limit: to build an index over an imported collection may
 *   take longer than a request may wait
 * @param options of the connections; they replace the defaults for serving requests
 * @param wait how to wait for a database that does not answer; without it, there is one attempt
 * @throws if the database cannot be reached or started. Nothing is left running
 */
export async function openDatabase(
  config: DatabaseConfig,
  prepare: (connection: Connection) => Promise<void>,
  { options = {}, wait }: { options?: ConnectOptions; wait?: DatabaseWait | undefined } = {},
): Promise<Database> {
  const server = config.kind === 'mongodb' ? mongodbAt(config.uri) : await startEngine(config);
  try {
    const open = async () => {
      const preparing = await connect(server.uri, { ...options, socketTimeoutMS: 0 });
      await prepare(preparing).finally(() => preparing.close());
      return connect(server.uri, options);
    };
    const connection = await (wait ? waitForDatabase(open, wait) : open());
    return {
      connection,
      backup: server.backup,
      close: () => connection.close().finally(server.stop),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Where the database listens, and what only its owner can do. */
type Server = Pick<Database, 'backup'> & { uri: string; stop(): Promise<void> };

const mongodbAt = (uri: string): Server => ({ uri, stop: async () => {} });

const embedded = ({ uri, backup, stop }: EmbeddedMongo): Server => ({
  uri,
  backup: (folder, signal) => backup(folder, { signal }),
  stop,
});

async function startEngine(config: Exclude<DatabaseConfig, { kind: 'mongodb' }>): Promise<Server> {
  // Loaded only here, because a gateway with a MongoDB needs no engine.
  const { startEmbeddedMongo, EmbeddedMongoLockedError } = await import('@auth-gateway/embedded-mongo');
  if (config.kind === 'memory') {
    return embedded(await startEmbeddedMongo());
  }
  const { dataDir } = config;
  try {
    // The folder may hold health data, so only the user of the service can enter it.
    await makeFolder(dataDir, 0o700);
    return embedded(await startEmbeddedMongo({ path: dataDir }));
  } catch (error) {
    if (error instanceof EmbeddedMongoLockedError) {
      throw error;
    }
    throw new Error(`The data folder ${dataDir} cannot be used (DATA_DIR): ${messageOf(error)}`, {
      cause: error,
    });
  }
}
