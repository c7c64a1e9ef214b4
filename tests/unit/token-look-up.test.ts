import { jest } from '@jest/globals';
import { tokensWithAccounts } from '../../src/auth/tokens/token-look-up.ts';
import { createModels } from '../../src/models/models.ts';
import { useDatabase } from '../support/database.ts';

const opened = useDatabase();

afterEach(() => jest.restoreAllMocks());

test('simultaneous look-ups share one query, and a full query does not wait for later look-ups', async () => {
  const { tokens } = createModels(opened.connection);
  const ask = jest.spyOn(tokens.collection, 'aggregate');
  const asked = () => ask.mock.calls.map(([pipeline]) => pipeline?.[0]?.$match._id.$in as string[]);
  const lookUp = tokensWithAccounts(tokens);
  const ids = Array.from({ length: 40 }, (_, index) => `token-${index}`);

  const found = Promise.all(ids.map((id) => lookUp.load(id)));
  // The event loop has not run since, so nothing else was looked up.
  expect(asked()).toEqual([ids.slice(0, 16), ids.slice(16, 32)]);

  expect(await found).toEqual(ids.map(() => undefined));
  expect(asked()).toEqual([ids.slice(0, 16), ids.slice(16, 32), ids.slice(32)]);
});
