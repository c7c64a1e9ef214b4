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

test('a command without an answer is given up after the limit, for all removals that share it', async () => {
  const clock = new ManualClock();
  const tokens = new AccessTokenStore({ ...opened, limit: { maxMillis: REQUEST_EXCHANGE_MILLIS, clock } });
  const commands = spyOnCommands().mockReturnValue(new Promise(() => {}));

  const removed = Promise.allSettled(['one', 'other'].map((id) => tokens.revoke('owner', id)));
  await eventually(() => expect(commands).toHaveBeenCalledTimes(1));
  await clock.advance(REQUEST_EXCHANGE_MILLIS);

  const reason = expect.any(mongo.MongoNetworkTimeoutError);
  expect(await removed).toEqual(Array(2).fill({ status: 'rejected', reason }));
});
