import mysql from 'mysql2/promise';
import { LegacyDatabase } from '../../../src/legacy/source/legacy-database.ts';
import { DEFAULT_TABLES } from '../../../src/legacy/source/legacy-tables.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createLegacyTables } from '../support/legacy-tables.mjs';
import { type MariaDb, startMariaDb } from '../support/mariadb.mjs';

let server: MariaDb;
beforeAll(async () => {
  server = await startMariaDb();
  await createLegacyTables(server.query);
});
afterAll(() => server?.stop());

test('a legacy database that stands still is given up after a minute, and its connection is closed', async () => {
  const clock = new ManualClock();
  const database = await LegacyDatabase.open(server.uri, DEFAULT_TABLES, clock);
  server.pause();
  const givenUp = expect(database.count('accounts')).rejects.toThrow(
    'The legacy database does not answer any more: no answer in 60 s',
  );
  await clock.advance(60_000);
  await givenUp;
  await expect(database.count('accounts')).rejects.toThrow(
    'The legacy database does not answer any more: the connection was lost',
  );
  await database.close();
  server.resume();
});

test('the minute begins with each question', async () => {
  const clock = new ManualClock();
  const database = await LegacyDatabase.open(server.uri, DEFAULT_TABLES, clock);
  for (let minutes = 0; minutes < 3; minutes += 1) {
    expect(await database.count('accounts')).toBe(0);
    await clock.advance(60_000);
  }
  await database.close();
});

// The reasons for the reaches into the insides of mysql2 (src/legacy/mysql2.ts). They can go when this fails.
test('a connection of mysql2 has no unref(), and no code tells that it was lost before', async () => {
  const connection = await mysql.createConnection(server.uri);
  expect('unref' in connection).toBe(false);
  connection.destroy();
  const error = await connection.query('SELECT 1').catch((reason: Error) => reason);
  expect(error).toMatchObject({ message: expect.stringContaining('closed state') });
  expect(error).not.toHaveProperty('code');
});
