import { jest } from '@jest/globals';
import { tokenLookUps } from '../../../src/auth/tokens/token-look-up.ts';
import { createModels } from '../../../src/stores/models.ts';
import { useDatabase } from '../../support/database.ts';

const opened = useDatabase();

afterEach(() => jest.restoreAllMocks());

test('simultaneous look-ups share one query, and a full query does not wait for later look-ups', async () => {
  const { tokens } = createModels(opened.connection);
  const ask = jest.spyOn(tokens.collection, 'aggregate');
  const asked = () => ask.mock.calls.map(([pipeline]) => pipeline?.[0]?.$match._id.$in as string[]);
  const { byId } = tokenLookUps(tokens);
  const ids = Array.from({ length: 40 }, (_, index) => `token-${index}`);

  const found = Promise.all(ids.map((id) => byId.load(id)));
  // The event loop has not run since, so nothing else was looked up.
  expect(asked()).toEqual([ids.slice(0, 16), ids.slice(16, 32)]);

  expect(await found).toEqual(ids.map(() => undefined));
  expect(asked()).toEqual([ids.slice(0, 16), ids.slice(16, 32), ids.slice(32)]);
});

test('a look-up by hash does not wait for look-ups by id, nor they for it', async () => {
  const { tokens } = createModels(opened.connection);
  const ask = jest.spyOn(tokens.collection, 'aggregate');
  const { byId, importedByHash } = tokenLookUps(tokens);

  const found = Promise.all([
    byId.load('token'),
    importedByHash.load('a'),
    importedByHash.load('b'),
    byId.load('token'),
  ]);

  expect(await found).toEqual([undefined, undefined, undefined, undefined]);
  const filters = ask.mock.calls.map(([pipeline]) => pipeline?.[0]?.$match);
  expect(filters).toEqual([{ _id: { $in: ['token'] } }, { secretHash: { $in: ['a', 'b'] }, imported: true }]);
});
