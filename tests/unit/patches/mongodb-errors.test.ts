import { createRequire } from 'node:module';
import mongoose from 'mongoose';
import {
  isNotConnected,
  isPoolCleared,
  isUnreadableReply,
  isWaitQueueTimeout,
} from '../../../src/patches/mongodb-errors.ts';

/** What an action throws. */
async function thrownBy(act: () => unknown): Promise<Error> {
  try {
    await act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

/** The classes of the pool of connections, from the insides of the driver. */
const { PoolClearedError, WaitQueueTimeoutError } = createRequire(import.meta.url)(
  'mongodb/lib/cmap/errors.js',
);

test('the errors of the pool have the names that are looked for', () => {
  const pool = { address: 'db.example:27017', serverError: new Error('lost') };
  expect(isPoolCleared(new PoolClearedError(pool, 'lost'))).toBe(true);
  expect(isWaitQueueTimeout(new WaitQueueTimeoutError('too late', pool.address))).toBe(true);
});

// If one of the next three fails, its function in src/patches/mongodb-errors.ts can ask for the class.
test('the driver still exports no class for the errors of the pool', () => {
  const classes = Object.values(mongoose.mongo);
  expect(classes).not.toContain(PoolClearedError);
  expect(classes).not.toContain(WaitQueueTimeoutError);
});

test('bson still has one class for what cannot be read and what cannot be written', async () => {
  const { BSON } = mongoose.mongo;
  const read = await thrownBy(() => BSON.deserialize(Uint8Array.of(6, 0, 0, 0, 0x99, 0)));
  const written = await thrownBy(() => BSON.serialize({ 'a\0b': 1 }));
  expect(read.constructor).toBe(written.constructor);
  expect([isUnreadableReply(read), isUnreadableReply(written)]).toEqual([true, false]);
});

test('Mongoose still has no class for a query without a connection', async () => {
  const options = { bufferCommands: false, serverSelectionTimeoutMS: 1 };
  const connection = mongoose.createConnection('mongodb://127.0.0.1:1', options);
  const opened = connection.asPromise().catch(() => {});
  const error = await thrownBy(() => connection.collection('any').findOne({}));
  await opened;
  expect(error.constructor).toBe(mongoose.Error);
  expect(isNotConnected(error)).toBe(true);
});
