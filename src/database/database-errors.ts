import mongoose from 'mongoose';
import {
  isNotConnected,
  isPoolCleared,
  isUnreadableReply,
  isWaitQueueTimeout,
} from '../patches/mongodb-errors.ts';

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
  MongoUnexpectedServerResponseError,
  MongoWriteConcernError,
} = mongoose.mongo;

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
export const DUPLICATE_KEY = 11_000;

const CONNECTION_ERRORS = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoOperationTimeoutError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoExpiredSessionError,
  MongoUnexpectedServerResponseError,
  mongoose.Error.MongooseServerSelectionError,
];

/**
 * The codes of a server that stops or is no longer the primary, or of a router that cannot reach one. The driver's
 * specifications call them retryable, but our connections do not retry. And the codes of a full disk (14031) and of a read that
 * no majority has confirmed in time (50).
 */
const AWAY_CODES = new Set<unknown>([
  14_031, 50, 6, 7, 89, 91, 133, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
]);

/**
 * PostgreSQL's text for a write that a unique index refuses. FerretDB 2 answers a findAndModify with this text and the code
 * of an internal error, because it translates only the errors of other writes.
 */
const POSTGRES_DUPLICATE =
  /^(?:duplicate key value violates unique constraint|conflicting key value violates exclusion constraint) /;

/** The index in the texts of MongoDB (`index: emailKey_1 dup key: …`) and of DocumentDB (`Index 'emailKey_1'`). */
const NAMED_INDEX = /\bindex:? '?([^\s'<>]+)/i;

/** MongoDB puts this before the values of the refused document, which may contain any text. */
export const BEFORE_VALUES = ' dup key: ';

/** The server's report about a refused write. */
type ServerError = { code?: unknown; message?: string; errmsg?: string | undefined; keyPattern?: unknown };

/** A bulk write has one refusal for each failed statement; every other command has one. */
const refusalsOf = (error: unknown): ServerError[] => {
  if (error instanceof MongoBulkWriteError) {
    return [error.writeErrors].flat();
  }
  return error instanceof MongoServerError ? [error] : [];
};

const textOf = ({ errmsg, message }: ServerError): string => errmsg ?? message ?? '';

const isDuplicateRefusal = (refusal: ServerError): boolean =>
  refusal.code === DUPLICATE_KEY || POSTGRES_DUPLICATE.test(textOf(refusal));

/**
 * True if the unique index of a field refused the write. Only after this write error it is certain that nothing was written.
 * An engine that does not send `keyPattern` names the index in its text. If it names no index, this field is assumed, so
 * call this only for a write that no other index can refuse.
 * @param field the only field of an ascending index that has its default name; or `_id`
 */
export const isDuplicateKey = (error: unknown, field: string): boolean =>
  refusalsOf(error).some((refusal) => isDuplicateRefusal(refusal) && mayBeIndexOf(refusal, field));

/**
 * Waits for the write of a record, unless there is another one with the same value of a unique field.
 * @returns false if there is. Of simultaneous insertions, one gets true
 * @throws any other error of the write
 */
export async function isUnique(write: Promise<unknown>, field: string): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isDuplicateKey(error, field)) {
      return false;
    }
    throw error;
  }
}

function mayBeIndexOf(refusal: ServerError, field: string): boolean {
  const { keyPattern } = refusal;
  if (typeof keyPattern === 'object' && keyPattern !== null) {
    return Object.hasOwn(keyPattern, field);
  }
  const [beforeValues = ''] = textOf(refusal).split(BEFORE_VALUES, 1);
  const index = NAMED_INDEX.exec(beforeValues)?.[1];
  return index === undefined || index === (field === '_id' ? '_id_' : `${field}_1`);
}

/**
 * Finds the refused documents of an unordered insert that has failed.
 * @returns their positions in the insert, without duplicates of stored documents: all other documents are stored. undefined
 *   if the database has reported on none of them (the driver wraps a lost connection, too)
 */
export function refusedInserts(error: unknown): number[] | undefined {
  if (!(error instanceof MongoBulkWriteError)) {
    return undefined;
  }
  const refusals = [error.writeErrors].flat();
  if (refusals.length === 0) {
    return undefined;
  }
  return refusals.filter(({ code }) => code !== DUPLICATE_KEY).map(({ index }) => index);
}

/**
 * What MongoDB before 8.0, FerretDB, Azure Cosmos DB and Amazon DocumentDB answer to a command that they do not have. And what
 * MongoDB (13) and the shared tiers of Atlas (8000) answer to one that they do not allow.
 */
const UNKNOWN_COMMAND_CODES = new Set<unknown>([13, 59, 115, 238, 303, 304, 8000]);

/** True if the database does not have or allow a command. Nothing was done. */
export const isUnknownCommand = (error: unknown): boolean =>
  error instanceof MongoServerError && UNKNOWN_COMMAND_CODES.has(error.code);

/** Their answer to an unknown read concern. */
const UNKNOWN_READ_CONCERN_CODES = new Set<unknown>([2, 9, 72, 123]);

/** True if the database does not have a read concern. */
export const isUnknownReadConcern = (error: unknown): boolean =>
  isUnknownCommand(error) ||
  (error instanceof MongoServerError && UNKNOWN_READ_CONCERN_CODES.has(error.code));

const OUT_OF_DISK_SPACE = 14_031;

/** True if the database has refused a write because its disk is full. */
export function isDatabaseFull(error: unknown): boolean {
  const isBulk = error instanceof MongoBulkWriteError;
  const refusals = isBulk ? [error.writeErrors].flat() : [];
  return (
    (error instanceof MongoError && error.code === OUT_OF_DISK_SPACE) ||
    refusals.some(({ code }) => code === OUT_OF_DISK_SPACE)
  );
}

/** True if the database cannot serve now: it does not answer, is restarting, electing a primary, cut off, garbled, or its disk is full. */
export function isDatabaseAway(error: unknown): boolean {
  if (CONNECTION_ERRORS.some((type) => error instanceof type)) {
    return true;
  }
  if (!(error instanceof MongoError)) {
    return isNotConnected(error) || isBrokenSocket(error) || isUnreadableReply(error);
  }
  const isAway = error instanceof MongoServerError && AWAY_CODES.has(error.code);
  return isAway || isWaitQueueTimeout(error) || isUnreadableReply(error);
}

/** The codes of a server that stops, or is no longer the primary, while it runs a command. */
const INTERRUPTED_CODES = new Set<unknown>([91, 189, 11_600, 11_602]);

/**
 * True if a command may have reached the database, but its answer has not come: what it was to write may be written. False if it
 * was never sent, or was refused.
 */
export function isAnswerLost(error: unknown): boolean {
  if (error instanceof MongoNetworkError) {
    // A pool that was cleared, or a connection that was not made, has sent nothing.
    return !isPoolCleared(error) && !error.hasErrorLabel('HandshakeError');
  }
  const isInterrupted = error instanceof MongoServerError && INTERRUPTED_CODES.has(error.code);
  return isInterrupted || error instanceof MongoWriteConcernError || isBrokenSocket(error);
}

/** A write to a socket that the database has just closed. The driver passes the system's error on without a wrapper. */
const isBrokenSocket = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
