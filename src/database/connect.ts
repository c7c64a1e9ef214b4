import mongoose, { type Connection, type ConnectOptions, type mongo } from 'mongoose';
import '../patches/mongodb-writes.ts';
import { DATABASE_LIMITS } from './database-limits.ts';

/**
 * The shortest interval that the driver allows. The driver notices a silent loss after this time and one attempt, and then
 * closes all connections of the pool. Otherwise requests would wait on dead connections once the database is back.
 */
const HEARTBEAT_MILLIS = 500;

/**
 * An acknowledged registration survives a crash and a change of primary
 * (auth/registration.ts). In the form of commands; the driver calls `j` `journal`.
 */
export const WRITE_CONCERN = { w: 'majority', j: true } as const;

const OPTIONS: ConnectOptions = {
  autoIndex: false,
  autoCreate: false,
  // A query without a connection fails at once instead of waiting in a queue of Mongoose's own.
  bufferCommands: false,
  ...DATABASE_LIMITS,
  heartbeatFrequencyMS: HEARTBEAT_MILLIS,
  // Each retry of the driver would wait as long again. The caller retries instead: a 503 has Retry-After.
  retryReads: false,
  retryWrites: false,
  writeConcern: { w: WRITE_CONCERN.w, journal: WRITE_CONCERN.j },
  appName: 'auth-gateway',
};

/** The database of an address that names none. */
export const DEFAULT_DATABASE = 'auth_gateway';
const NAMES_DATABASE = /^mongodb(?:\+srv)?:\/\/[^/]+\/[^?]/;

/**
 * Opens a connection.
 * @param uri a MongoDB connection string; if it names no database, `auth_gateway` is used
 * @param options differences from the options for serving requests
 * @returns an open connection
 * @throws MongooseServerSelectionError when no server answers in time
 */
export const connect = (uri: string, options: ConnectOptions = {}): Promise<Connection> => {
  const dbName = NAMES_DATABASE.test(uri) ? {} : { dbName: DEFAULT_DATABASE };
  return mongoose.createConnection(uri, { ...OPTIONS, ...dbName, ...options }).asPromise();
};

/**
 * The driver's database of an open connection.
 * @throws if the connection is not open: a defect
 */
export function dbOf({ db }: Connection): mongo.Db {
  if (!db) {
    throw new Error('not open');
  }
  return db;
}
