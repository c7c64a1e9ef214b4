import { jest } from '@jest/globals';
import type { Connection } from 'mongoose';
import { tokensWithAccounts } from '../../src/auth/tokens/token-look-up.ts';
import { connect } from '../../src/database/connect.ts';
import { createModels } from '../../src/models/models.ts';
import { LONG_LIMITS, openTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let connection: Connection;

beforeAll(async () => {
  database = await openTestDatabase();
  connection = await connect(database.uri, LONG_LIMITS);
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});
afterEach(() => jest.restoreAllMocks());

test('simultaneous look-ups share one query, and a full query does not wait for later look-ups', async () => {
  const { tokens } = createModels(connection);
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
