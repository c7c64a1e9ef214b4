import mongoose from 'mongoose';

const {
  MongoBulkWriteError,
  MongoError,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} = mongoose.mongo;

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const DUPLICATE_KEY = 11_000;

const CONNECTION_ERRORS = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoOperationTimeoutError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoExpiredSessionError,
  mongoose.Error.MongooseServerSelectionError,
];

/**
 * A server that stops or is no longer the primary, or a router that cannot reach one: the codes that the driver's
 * specifications call retryable, which it acts upon only where it retries by itself. And one whose disk is full (14031).
 */
const AWAY_CODES = new Set<unknown>([
  14_031, 6, 7, 89, 91, 133, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
]);

/** True where a unique index refused the write: the one write error after which nothing was written for certain. */
export const isDuplicateKey = (error: unknown, field: string): boolean =>
  error instanceof MongoServerError &&
  error.code === DUPLICATE_KEY &&
  Object.hasOwn(error.keyPattern ?? {}, field);

/**
 * What became of the documents of an unordered insert that has failed.
 * @returns the places of those that were refused, but for those that were there already: all others are written;
 *   undefined where the database has said nothing of any of them (the driver wraps a lost connection, too)
 */
export function refusedInserts(error: unknown): number[] | undefined {
  if (!(error instanceof MongoBulkWriteError)) return undefined;
  const refusals = [error.writeErrors].flat();
  if (refusals.length === 0) return undefined;
  return refusals.filter(({ code }) => code !== DUPLICATE_KEY).map(({ index }) => index);
}

/** True where the database cannot serve now: it is away, restarting, electing a primary, cut off, or its disk is full. */
export function isDatabaseAway(error: unknown): boolean {
  if (CONNECTION_ERRORS.some((type) => error instanceof type)) return true;
  if (!(error instanceof MongoError)) return isNotConnected(error) || isBrokenSocket(error);
  // The driver does not export the class of this one: all connections were in use for too long.
  if (error.name === 'MongoWaitQueueTimeoutError') return true;
  return error instanceof MongoServerError && AWAY_CODES.has(error.code);
}

/** What Mongoose throws for a query without a connection, since `bufferCommands` is off. It has no class of its own. */
const isNotConnected = (error: unknown): boolean =>
  error instanceof mongoose.Error && /initial connection|not connected|disconnected/i.test(error.message);

/** A write to a socket that the database has just closed: the driver passes the system's error on as it is. */
const isBrokenSocket = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
