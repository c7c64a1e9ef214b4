import { jest } from '@jest/globals';
import { mongo } from 'mongoose';
import { collectionOf } from '../../../src/database/command-target.ts';
import { REQUEST_EXCHANGE_MILLIS } from '../../../src/database/exchange-limit.ts';
import { AccessTokenStore, type StoredAccessToken } from '../../../src/stores/access-tokens.ts';
import { useDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';

storesWrongRecords();

const opened = useDatabase();

afterEach(() => jest.restoreAllMocks());

type TokenOfAccount = Pick<StoredAccessToken, '_id' | 'accountId'>;

let made = 0;

/** Stores tokens of one account. */
async function someTokens(howMany: number) {
  const { tokens } = opened.database;
  const stored = Array.from({ length: howMany }, (): TokenOfAccount => {
    made += 1;
    return { _id: `token-${made}`, accountId: 'owner' };
  });
  await tokens.insertMany(stored as StoredAccessToken[]);
  const left = () => tokens.countDocuments({ _id: { $in: stored.map(({ _id }) => _id) } });
  const store = new AccessTokenStore(opened);
  const revoke = ({ accountId, _id }: TokenOfAccount) => store.revoke(accountId, _id);
  return { stored, revoke, left };
}

const spyOnCommands = () => jest.spyOn(mongo.Db.prototype, 'command');

/** https://www.mongodb.com/docs/manual/reference/command/bulkWrite/: "New in version 8.0" */
async function hasBulkWrite(): Promise<boolean> {
  const { versionArray } = await opened.database.db.admin().buildInfo();
  return versionArray[0] >= 8;
}

test('simultaneous removals share a command, and each is true for exactly one', async () => {
  const { stored, revoke, left } = await someTokens(3);
  const [first, second, third] = stored as [TokenOfAccount, TokenOfAccount, TokenOfAccount];
  const removeOne = jest.spyOn(mongo.Collection.prototype, 'deleteOne');
  const commands = spyOnCommands();

  const asked = [first, { ...third, accountId: 'stranger' }, second, first, { ...first, _id: 'unknown' }];
  const removed = await Promise.all(asked.map(revoke));

  expect(removed).toEqual([true, false, true, false, false]);
  expect(await left()).toBe(1);
  expect(commands).toHaveBeenCalledTimes(1);
  // A server before MongoDB 8.0 lacks the command, and then removes the tokens one by one.
  expect(removeOne).toHaveBeenCalledTimes((await hasBulkWrite()) ? 0 : asked.length);
  const [command = {}] = commands.mock.calls[0] ?? [];
  expect(command).toMatchObject({ writeConcern: { w: 'majority', j: true } });
  // As metrics and traces name it.
  expect(collectionOf(command, 'bulkWrite')).toBe('access_tokens');
});

test.each([
  ['MongoDB before 8.0', { code: 59, errmsg: "no such command: 'bulkWrite'" }],
  ['a shared tier of Atlas', { code: 8000, errmsg: 'CMD_NOT_ALLOWED: bulkWrite' }],
])(
  'a database without bulkWrite is asked for it once, and removes the tokens one by one: %s',
  async (_case, answer) => {
    const { stored, revoke, left } = await someTokens(4);
    const commands = spyOnCommands().mockRejectedValue(new mongo.MongoServerError(answer));

    for (const some of [stored.slice(0, 2), stored.slice(2)]) {
      const [one] = some as [TokenOfAccount];
      const removed = await Promise.all([...some, one].map(revoke));
      expect(removed.filter(Boolean)).toHaveLength(2);
    }
    expect(await left()).toBe(0);
    expect(commands).toHaveBeenCalledTimes(1);
  },
);

test('any other failure of the command is that of all, and one of a removal is its own', async () => {
  const { stored, revoke, left } = await someTokens(2);
  const removeAll = () => Promise.allSettled(stored.map(revoke));
  const full = { code: 14_031, errmsg: 'no space' };
  const commands = spyOnCommands();

  commands.mockRejectedValueOnce(new mongo.MongoServerError(full));
  expect(await removeAll()).toMatchObject([{ reason: full }, { reason: full }]);
  commands.mockResolvedValueOnce({
    cursor: {
      firstBatch: [
        { ok: 1, idx: 0, n: 1 },
        { ok: 0, idx: 1, n: 0, ...full },
      ],
    },
  });
  expect(await removeAll()).toMatchObject([{ value: true }, { reason: full }]);
  expect(await left()).toBe(2);
});

const spyOnQueries = () => jest.spyOn(mongo.Collection.prototype, 'aggregate');

test('simultaneous look-ups share one query, and a full query does not wait for later look-ups', async () => {
  const ask = spyOnQueries();
  const asked = () => ask.mock.calls.map(([pipeline]) => pipeline?.[0]?.$match._id.$in as string[]);
  const tokens = new AccessTokenStore(opened);
  const ids = Array.from({ length: 40 }, (_, index) => `unknown-${index}`);

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

test.each<
  [
    what: string,
    silence: () => { mock: { calls: unknown[] } },
    act: (store: AccessTokenStore, id: string) => Promise<unknown>,
  ]
>([
  [
    'a query, for all look-ups that share it',
    () => spyOnQueries().mockReturnValue({ toArray: () => new Promise(() => {}) } as never),
    (store, id) => store.findWithAccount(id),
  ],
  [
    'a command, for all removals that share it',
    () => spyOnCommands().mockReturnValue(new Promise(() => {})),
    (store, id) => store.revoke('owner', id),
  ],
])('what has no answer is given up after the limit: %s', async (_what, silence, act) => {
  const clock = new ManualClock();
  const tokens = new AccessTokenStore({ ...opened, limit: { maxMillis: REQUEST_EXCHANGE_MILLIS, clock } });
  const { mock } = silence();

  const asked = Promise.allSettled(['one', 'other'].map((id) => act(tokens, id)));
  await eventually(() => expect(mock.calls).toHaveLength(1));
  await clock.advance(REQUEST_EXCHANGE_MILLIS);

  const reason = expect.any(mongo.MongoNetworkTimeoutError);
  expect(await asked).toEqual(Array(2).fill({ status: 'rejected', reason }));
});
