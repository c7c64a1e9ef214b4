/*
 * mongodb 7.8, bson 7.3 and mongoose 9.12: errors without a class of their own, by their name, text or stack.
 * Reason: the driver exports neither class of the pool of connections. bson has one class for what cannot be read and what cannot
 * be written, and Mongoose none for a query without a connection.
 * tests/unit/patches/mongodb-errors.test.ts fails when one of them has a class.
 */
import mongoose from 'mongoose';

const { BSON, MongoError, MongoNetworkError, MongoParseError } = mongoose.mongo;

/** A command that was not sent, because all connections were in use for too long. */
export const isWaitQueueTimeout = (error: unknown): boolean =>
  error instanceof MongoError && error.name === 'MongoWaitQueueTimeoutError';

/** A command that was not sent, because another one has lost its connection meanwhile. */
export const isPoolCleared = (error: unknown): boolean =>
  error instanceof MongoNetworkError && error.name === 'MongoPoolClearedError';

/** A query without a connection, which fails at once because `bufferCommands` is off. */
export const isNotConnected = (error: unknown): boolean =>
  error instanceof mongoose.Error && /initial connection|not connected|disconnected/i.test(error.message);

/** A reply that is no message of MongoDB, or no BSON. What cannot be written would be a mistake of the gateway. */
export const isUnreadableReply = (error: unknown): boolean =>
  error instanceof MongoParseError
    ? /^Message size /.test(error.message)
    : error instanceof BSON.BSONError &&
      /\b(?:internalDeserialize|deserializeObject|parseToElements)\b/.test(error.stack ?? '');
