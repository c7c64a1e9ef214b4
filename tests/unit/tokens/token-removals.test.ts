import { jest } from '@jest/globals';
import { mongo } from 'mongoose';
import { type TokenOfAccount, tokenRemovals } from '../../../src/auth/tokens/token-removals.ts';
import { collectionOf } from '../../../src/database/command-target.ts';
import { createModels } from '../../../src/stores/models.ts';
import { useDatabase } from '../../support/database.ts';

const opened = useDatabase();

afterEach(() => jest.restoreAllMocks());

let made = 0;

/** Stores tokens of one account. */
async function someTokens(howMany: number) {
  const { tokens } = createModels(opened.connection);
  const stored = Array.from({ length: howMany }, (): TokenOfAccount => {
    made += 1;
    return { _id: `token-${made}`, accountId: 'owner' };
  });
  await tokens.collection.insertMany(stored as object[]);
  const left = () => tokens.countDocuments({ _id: { $in: stored.map(({ _id }) => _id) } });
  return { tokens, stored, left };
}

const spyOnCommands = () => jest.spyOn(mongo.Db.prototype, 'command');

test('simultaneous removals share a command, and each is true for exactly one', async () => {
  const { tokens, stored, left } = await someTokens(3);
  const [first, second, third] = stored as [TokenOfAccount, TokenOfAccount, TokenOfAccount];
  const removals = tokenRemovals(tokens);
  const removeOne = jest.spyOn(tokens.collection, 'deleteOne');
  const commands = spyOnCommands();

  const asked = [first, { ...third, accountId: 'stranger' }, second, first, { ...first, _id: 'unknown' }];
  const removed = await Promise.all(asked.map((token) => removals.load(token)));

  expect(removed).toEqual([true, false, true, false, false]);
  expect(await left()).toBe(1);
  expect(commands).toHaveBeenCalledTimes(1);
  const [command = {}] = commands.mock.calls[0] ?? [];
  expect(command).toMatchObject({ writeConcern: { w: 'majority', j: true } });
  // As metrics and traces name it.
  expect(collectionOf(command, 'bulkWrite')).toBe('access_tokens');
  expect(removeOne).not.toHaveBeenCalled();
});

test.each([
  ['MongoDB before 8.0', { code: 59, errmsg: "no such command: 'bulkWrite'" }],
  ['a shared tier of Atlas', { code: 8000, errmsg: 'CMD_NOT_ALLOWED: bulkWrite' }],
])(
  'a database without bulkWrite is asked for it once, and removes the tokens one by one: %s',
  async (_case, answer) => {
    const { tokens, stored, left } = await someTokens(4);
    const removals = tokenRemovals(tokens);
    const commands = spyOnCommands().mockRejectedValue(new mongo.MongoServerError(answer));

    for (const some of [stored.slice(0, 2), stored.slice(2)]) {
      const [one] = some as [TokenOfAccount];
      const removed = await Promise.all([...some, one].map((token) => removals.load(token)));
      expect(removed.filter(Boolean)).toHaveLength(2);
    }
    expect(await left()).toBe(0);
    expect(commands).toHaveBeenCalledTimes(1);
  },
);

test('any other failure of the command is that of all, and one of a removal is its own', async () => {
  const { tokens, stored, left } = await someTokens(2);
  const removals = tokenRemovals(tokens);
  const removeAll = () => Promise.allSettled(stored.map((token) => removals.load(token)));
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
