import mongoose from 'mongoose';

const { MongoServerError, MongoNetworkError, MongoServerSelectionError, MongoOperationTimeoutError } =
  mongoose.mongo;
const { MongoNotConnectedError, MongoTopologyClosedError, MongoExpiredSessionError } = mongoose.mongo;

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const DUPLICATE_KEY = 11_000;
const OUT_OF_DISK_SPACE = 14_031;

const CONNECTION_ERRORS = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoOperationTimeoutError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoExpiredSessionError,
  mongoose.Error.MongooseServerSelectionError,
];

/** True where a unique index refused the write: the one write error after which nothing was written for certain. */
export const isDuplicateKey = (error: unknown, field: string): boolean =>
  error instanceof MongoServerError &&
  error.code === DUPLICATE_KEY &&
  Object.hasOwn(error.keyPattern ?? {}, field);

/** True where the database cannot serve now: it is away, restarting, electing a primary, cut off, or its disk is full. */
export function isDatabaseAway(error: unknown): boolean {
  if (CONNECTION_ERRORS.some((type) => error instanceof type)) return true;
  if (!(error instanceof mongoose.mongo.MongoError)) return isNotConnected(error) || isBrokenSocket(error);
  if (error instanceof MongoServerError && error.code === OUT_OF_DISK_SPACE) return true;
  return error.hasErrorLabel('RetryableWriteError') || error.hasErrorLabel('TransientTransactionError');
}

/** What Mongoose throws for a query without a connection, since `bufferCommands` is off. It has no class of its own. */
const isNotConnected = (error: unknown): boolean =>
  error instanceof mongoose.Error && /initial connection|not connected|disconnected/i.test(error.message);

/** A write to a socket that the database has just closed: the driver passes the system's error on as it is. */
const isBrokenSocket = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
