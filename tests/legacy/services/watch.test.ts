import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { aPdf } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addAccount, addProfile } from '../support/legacy-service.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { useMove } from '../support/move.ts';

const move = useMove();

/** Rounds follow each other after 5 s, after a loss later. */
const PATIENCE_MILLIS = 90_000;

/** A document whose content may change under its name. */
const LICENSE = 'doctor_profiles/licenses/scan of licence.pdf';

async function addDoctor(id: number, files: Partial<Parameters<typeof addProfile>[2]>): Promise<void> {
  const fields = { id, email: `${id}@example.org`, phone: String(id) };
  await addAccount(move.query, { ...LEGACY_ACCOUNTS.doctor, ...fields });
  await addProfile(move.query, move.legacy.filesDir, { id, user_id: id, ...files });
}

test('sync --watch follows the legacy service, survives a loss of its database, and ends at SIGTERM', async () => {
  const { database, filesDir } = move.legacy;
  const isHere = (id: number) =>
    eventually(async () => expect(await move.profileHere({ id })).not.toBeNull(), PATIENCE_MILLIS);
  const changeLicense = async () => {
    const { bytes } = aPdf();
    await writeFile(path.join(filesDir, LICENSE), bytes);
    return bytes;
  };
  const isCopied = (bytes: Buffer) =>
    eventually(
      async () => expect((await readFile(path.join(move.app.storageDir, LICENSE))).equals(bytes)).toBe(true),
      PATIENCE_MILLIS,
    );
  const watching = move.start('sync', '--watch', '--files', filesDir);
  await addDoctor(40, { license_file_path: LICENSE });
  await isHere(40);
  await isCopied(await changeLicense());

  await database.kill();
  await database.start();
  await addDoctor(41, {});
  await move.query('DELETE FROM personal_access_tokens WHERE id = ?', [LEGACY_TOKENS.used.id]);
  const changed = await changeLicense();
  await isHere(41);
  await isCopied(changed);
  await eventually(async () => expect(await move.tokenHere(LEGACY_TOKENS.used)).toBeNull(), PATIENCE_MILLIS);

  const other = await move.run('sync', '--files', filesDir);
  expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/Another command .* is running/)]);

  expect(await watching.stop()).toBe(0);
  expect(watching.stdout).toMatch(/"event":"round"/);
  expect(watching.stderr).toMatch(/The round failed: /);
});
