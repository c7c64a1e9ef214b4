import { jest } from '@jest/globals';
import { mongo } from 'mongoose';
import { REQUEST_EXCHANGE_MILLIS } from '../../../src/database/exchange-limit.ts';
import { AccessTokenStore } from '../../../src/stores/access-tokens.ts';
import { useDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const opened = useDatabase();

afterEach(() => jest.restoreAllMocks());

const spyOnQueries = () => jest.spyOn(mongo.Collection.prototype, 'aggregate');

test('simultaneous look-ups share one query, and a full query does not wait for later look-ups', async () => {
  const ask = spyOnQueries();
  const asked = () => ask.mock.calls.map(([pipeline]) => pipeline?.[0]?.$match._id.$in as string[]);
  const tokens = new AccessTokenStore(opened);
  const ids = Array.from({ length: 40 }, (_, index) => `token-${index}`);

  const found = Promise.all(ids.map((id) => tokens.findWithAccount(id)));
  // The event loop has not run since, so nothing else was looked up.
  expect(asked()).toEqual([ids.slice(0, 16), ids.slice(16, 32)]);

  expect(await found).toEqual(ids.map(() => undefined));
  expect(asked()).toEqual([ids.slice(0, 16), ids.slice(16, 32), ids.slice(32)]);
});

test('a look-up by hash does not wait for look-ups by id, nor they for it', async () => {
  const ask = spyOnQueries();
  const tokens = new AccessTokenStore(opened);

  const found = Promise.all([
    tokens.findWithAccount('token'),
    tokens.findImportedWithAccount('a'),
    tokens.findImportedWithAccount('b'),
    tokens.findWithAccount('token'),
  ]);

  expect(await found).toEqual([undefined, undefined, undefined, undefined]);
  const filters = ask.mock.calls.map(([pipeline]) => pipeline?.[0]?.$match);
  expect(filters).toEqual([{ _id: { $in: ['token'] } }, { secretHash: { $in: ['a', 'b'] }, imported: true }]);
});

test('a query without an answer is given up after the limit, for all look-ups that share it', async () => {
  const clock = new ManualClock();
  const tokens = new AccessTokenStore({ ...opened, limit: { maxMillis: REQUEST_EXCHANGE_MILLIS, clock } });
  const never = { toArray: () => new Promise(() => {}) };
  const ask = spyOnQueries().mockReturnValue(never as never);

  const found = Promise.allSettled(['one', 'other'].map((id) => tokens.findWithAccount(id)));
  await eventually(() => expect(ask).toHaveBeenCalledTimes(1));
  await clock.advance(REQUEST_EXCHANGE_MILLIS);

  const reason = expect.any(mongo.MongoNetworkTimeoutError);
  expect(await found).toEqual(Array(2).fill({ status: 'rejected', reason }));
});
