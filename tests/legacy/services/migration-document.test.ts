import { readFile } from 'node:fs/promises';
import mysql from 'mysql2/promise';
import { documentedBlocks } from '../support/documented-move.ts';
import { createLegacyTables } from '../support/legacy-tables.mjs';
import { type MariaDb, startMariaDb } from '../support/mariadb.mjs';

// The user of the legacy database that docs/migration.md makes for the move, and docs/migration/way-back.md for the way back.
const INSERT =
  "INSERT INTO accounts (name, email, phone, password) VALUES ('Pat', 'pat@example.org', '1', 'x')";

let database: MariaDb;
beforeEach(async () => {
  database = await startMariaDb();
  await createLegacyTables(database.query);
});
afterEach(() => database.stop());

/** Sends SQL at the address that the document shows, on the port of the test's server. */
async function asMover(...statements: string[]): Promise<void> {
  const text = await readFile('docs/migration.md', 'utf8');
  const [, uri = ''] = /LEGACY_DATABASE_URL='(\S+)'/.exec(text) ?? [];
  const connection = await mysql.createConnection(uri.replace('3306', new URL(database.uri).port));
  try {
    for (const statement of statements) {
      await connection.query(statement);
    }
  } finally {
    connection.destroy();
  }
}

test('the user of the move reads the three tables, and writes to them only for the way back', async () => {
  const tables = ['accounts', 'doctor_profiles', 'personal_access_tokens'];
  await database.query((await documentedBlocks('Access', 'sql')).join(''));
  await asMover(...tables.map((table) => `SELECT * FROM ${table}`));
  for (const table of tables) {
    await expect(asMover(`DELETE FROM ${table}`)).rejects.toThrow('DELETE command denied');
  }
  await expect(asMover(INSERT)).rejects.toThrow('INSERT command denied');

  await database.query((await documentedBlocks('After the switch', 'sql')).join(''));
  await asMover(INSERT, 'UPDATE accounts SET phone = 2', ...tables.map((table) => `DELETE FROM ${table}`));
});
