import { eventually } from '../../support/eventually.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addAccount } from '../support/legacy-service.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { useMove } from '../support/move.ts';

const move = useMove();

/** Rounds follow each other after 5 s, after a loss later. */
const PATIENCE_MILLIS = 90_000;

test('sync --watch follows the legacy service, survives a loss of its database, and ends at SIGTERM', async () => {
  const { database, filesDir } = move.legacy;
  const { accounts, tokens } = move.app.database;
  const add = (id: number) =>
    addAccount(database.query, {
      ...LEGACY_ACCOUNTS.patient,
      id,
      email: `${id}@example.org`,
      phone: String(id),
    });
  const watching = move.start('sync', '--watch', '--files', filesDir);
  await add(40);
  await eventually(async () => expect(await accounts.countDocuments({ _id: '40' })).toBe(1), PATIENCE_MILLIS);

  await database.kill();
  await database.start();
  await add(41);
  await database.query('DELETE FROM personal_access_tokens WHERE id = ?', [LEGACY_TOKENS.used.id]);
  await eventually(async () => expect(await accounts.countDocuments({ _id: '41' })).toBe(1), PATIENCE_MILLIS);
  expect(await tokens.countDocuments({ _id: String(LEGACY_TOKENS.used.id) })).toBe(0);

  const other = await move.run('sync', '--files', filesDir);
  expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/Another command .* is running/)]);

  expect(await watching.stop()).toBe(0);
  expect(watching.stdout).toMatch(/"event":"round"/);
  expect(watching.stderr).toMatch(/The round failed: /);
}, 300_000);
