import type { Connection, ConnectOptions } from 'mongoose';
import { closeConnection, connect } from './connect.ts';
import type { ExchangeLimit, LimitedConnection } from './exchange-limit.ts';
import { type DatabaseConfig, type DatabaseServer, startServer } from './server.ts';
import { type DatabaseWait, waitForDatabase } from './wait-for-database.ts';

/** An open database of either kind. */
export interface Database extends LimitedConnection {
  backup?: DatabaseServer['backup'];
  hasRoom?: DatabaseServer['hasRoom'];
  close(): Promise<void>;
}

/** How a database is opened. */
interface Opening {
  /** Of the connections; they replace the defaults for serving requests. */
  options?: ConnectOptions;
  /** How to wait for a database that does not answer; without it, there is one attempt. */
  wait?: DatabaseWait | undefined;
  /** The server of the configured database, if it is already starting. */
  starting?: Promise<DatabaseServer> | undefined;
  /** Of each exchange on the connection, but for those of `prepare`. */
  limit: ExchangeLimit;
}

/**
 * Opens the configured MongoDB, or starts the embedded engine and opens it with the same driver.
 * @param prepare runs first, on its own connection without a time limit: to build an index over an imported collection may
 *   take longer than a request may wait
 * @throws if the database cannot be reached or started. Nothing is left running
 */
export async function openDatabase(
  config: DatabaseConfig,
  prepare: (connection: Connection) => Promise<void>,
  { options = {}, wait, starting = startServer(config), limit }: Opening,
): Promise<Database> {
  const server = await starting;
  try {
    const open = async () => {
      const preparing = await connect(server.uri, { ...options, socketTimeoutMS: 0 });
      await prepare(preparing).finally(() => closeConnection(preparing));
      return connect(server.uri, options);
    };
    const connection = await (wait ? waitForDatabase(open, wait) : open());
    return {
      connection,
      limit,
      ...(server.backup && { backup: server.backup }),
      ...(server.hasRoom && { hasRoom: server.hasRoom }),
      close: () => closeConnection(connection).finally(server.stop),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
