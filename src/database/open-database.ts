import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import mongoose, { type Connection, type ConnectOptions } from 'mongoose';
import type { Logger } from '../system/log.ts';
import { messageOf, systemErrorCode } from '../system/system-errors.ts';
import { connect } from './connect.ts';
import { isDatabaseAway, isDatabaseFull } from './database-errors.ts';
import type { ExchangeLimit, LimitedConnection } from './exchange-limit.ts';
import { type DatabaseConfig, type DatabaseServer, startServer } from './server.ts';

/** An open database of either kind. */
export interface Database extends LimitedConnection {
  backup?: DatabaseServer['backup'];
  hasRoom?: DatabaseServer['hasRoom'];
  close(): Promise<void>;
}

/**
 * Prepares a database before it serves requests.
 * @param connection of its own, without a time limit: to build an index over an imported collection may take long
 */
export type Prepare = (connection: Connection) => Promise<void>;

/** Indexes are built on several connections, which a slow server may open for longer than a request would wait. */
const WITHOUT_LIMIT: ConnectOptions = { socketTimeoutMS: 0, waitQueueTimeoutMS: 0 };

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
 * @param prepare runs first
 * @throws if the database cannot be reached or started. Nothing is left running
 */
export async function openDatabase(
  config: DatabaseConfig,
  prepare: Prepare,
  { options = {}, wait, starting = startServer(config), limit }: Opening,
): Promise<Database> {
  const server = await starting;
  try {
    const open = async () => {
      const preparing = await connect(server.uri, { ...options, ...WITHOUT_LIMIT });
      await prepare(preparing).finally(() => preparing.close());
      return connect(server.uri, options);
    };
    const connection = await (wait ? waitForDatabase(open, wait) : open());
    return {
      connection,
      limit,
      ...(server.backup && { backup: server.backup }),
      ...(server.hasRoom && { hasRoom: server.hasRoom }),
      close: () => connection.close().finally(server.stop),
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** How a start waits for a database that does not answer yet, for example because both start at the same time. */
export interface DatabaseWait {
  /** How long to wait. With 0 there is one attempt. */
  forMillis: number;
  /** Ends the wait; its reason is thrown. */
  signal: AbortSignal;
  /** Gets a line at once and every few seconds while the database does not answer. */
  log: Logger;
}

const RETRY_MILLIS = 200;
const LOG_INTERVAL_MILLIS = 3_000;

/**
 * Opens a database, and tries again as long as it does not answer. Any other error, such as a wrong password, would come
 * again, so it ends the wait at once.
 * @param open one attempt, with its own time limit
 * @throws an error for people, if the time is over or the database cannot be used; the reason of the signal
 */
async function waitForDatabase<T>(
  open: () => Promise<T>,
  { forMillis, signal, log }: DatabaseWait,
): Promise<T> {
  const deadline = performance.now() + forMillis;
  for (let nextLogAt = 0; ; ) {
    try {
      return await open();
    } catch (error) {
      // A system error comes from the name server (mongodb+srv), which may also be starting.
      const isAway = isDatabaseAway(error) || systemErrorCode(error) !== undefined;
      if (isDatabaseFull(error)) {
        throw new Error('The database is out of room: its disk is full.', { cause: error });
      }
      if (!isAway) {
        throw new Error(`The database cannot be used: ${messageOf(error)}`, { cause: error });
      }
      const now = performance.now();
      if (now >= deadline) {
        throw noAnswer(error, forMillis);
      }
      if (now >= nextLogAt) {
        const secondsLeft = Math.ceil((deadline - now) / 1000);
        log.warn(
          { hosts: hostsOf(error), reason: messageOf(error), secondsLeft },
          'waiting for the database',
        );
        nextLogAt = now + LOG_INTERVAL_MILLIS;
      }
    }
    await pause(RETRY_MILLIS, undefined, { signal });
  }
}

function noAnswer(error: unknown, forMillis: number): Error {
  const hosts = hostsOf(error)?.join(', ');
  const where = hosts ? ` at ${hosts}` : '';
  const howLong = forMillis > 0 ? ` within ${forMillis / 1000} s (START_WAIT_SECONDS)` : '';
  return new Error(`The database${where} does not answer${howLong}: ${messageOf(error)}`, { cause: error });
}

/** The hosts that the driver has tried. Not those of the connection string, which may hold a password. */
function hostsOf(error: unknown): string[] | undefined {
  if (!(error instanceof mongoose.Error.MongooseServerSelectionError && 'reason' in error)) {
    return undefined;
  }
  const { reason } = error;
  const isTopology = typeof reason === 'object' && reason !== null && 'servers' in reason;
  return isTopology && reason.servers instanceof Map ? [...reason.servers.keys()].map(String) : undefined;
}
