import { existsSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedMongoLockedError } from '@auth-gateway/embedded-mongo';
import type { Connection } from 'mongoose';
import { systemClock } from '../system/clock.ts';
import { type Database, openDatabase } from './open-database.ts';
import type { DatabaseConfig } from './server.ts';

/** No caller of a command needs an answer within 2 s, so a command waits longer for a busy database. */
const MAX_WAIT_MILLIS = 10_000;
const options = {
  serverSelectionTimeoutMS: MAX_WAIT_MILLIS,
  connectTimeoutMS: MAX_WAIT_MILLIS,
  waitQueueTimeoutMS: MAX_WAIT_MILLIS,
  socketTimeoutMS: MAX_WAIT_MILLIS,
};

/** More than all of these together, so that they come first. */
const limit = { maxMillis: 45_000, clock: systemClock };

/** What a command does with a database that a gateway has never opened. */
interface Opening {
  /** True makes an embedded database in a folder that has none. False: a mistyped folder is an error, not a new database. */
  mayCreate: boolean;
  /** Runs first, on a connection of its own without a time limit. By default nothing: the gateway has made the indexes. */
  prepare?: (connection: Connection) => Promise<void>;
}

/** True if the folder has an embedded database. */
export const hasDatabase = (dataDir: string): boolean => existsSync(path.join(dataDir, 'data.mdb'));

/** @throws if the database is in memory: no other process can open it, and a new one would be empty */
export function refuseMemory({ kind }: DatabaseConfig): void {
  if (kind === 'memory') {
    throw new Error(
      'DATA_DIR is :memory:, so only the gateway itself has its data. Set DATA_DIR to a folder, or MONGODB_URI.',
    );
  }
}

/**
 * Opens the gateway's database for a command. If a gateway has an embedded database open, the command uses the engine of
 * that gateway.
 * @throws if there is no database and none may be created, or if it cannot be opened
 */
export async function openBesideGateway(
  config: DatabaseConfig,
  { mayCreate, prepare = async () => {} }: Opening,
): Promise<Database> {
  refuseMemory(config);
  const isEmbedded = config.kind === 'embedded';
  if (isEmbedded && !mayCreate && !hasDatabase(config.dataDir)) {
    throw new Error(
      `There is no embedded database in ${config.dataDir} (DATA_DIR), and MONGODB_URI is not set.`,
    );
  }
  try {
    return await openDatabase(config, prepare, { options, limit });
  } catch (error) {
    if (!(error instanceof EmbeddedMongoLockedError) || error.ownerPort === undefined) {
      throw error;
    }
    const uri = `mongodb://127.0.0.1:${error.ownerPort}/?directConnection=true`;
    return openDatabase({ kind: 'mongodb', uri }, prepare, { options, limit });
  }
}
