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
