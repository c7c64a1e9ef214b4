import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { anEnrolledPerson, byRest, codeAt, done, nextCode, TWO_FACTOR } from '../../support/second-factor.ts';
import { objectsIn, useTarget } from '../support/legacy-command.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { countsIn, rowsThere, useMove } from '../support/move.ts';

const { patient, cost12, withoutDates } = LEGACY_ACCOUNTS;
const TWO =
  '2 accounts had a second factor in the legacy service. It is not carried over: the login there never asked for a code.';
const ONE = TWO.replace('2 accounts', '1 account');

describe('second factors of the legacy service', () => {
  const target = useTarget();

  const addColumn = (name: string) =>
    target.legacy.database.query('ALTER TABLE accounts ADD ?? timestamp NULL', [name]);
  const confirm = (...people: { id: number }[]) =>
    target.legacy.database.query('UPDATE accounts SET two_factor_confirmed_at = NOW() WHERE id IN (?)', [
      people.map(({ id }) => id),
    ]);
  /** What a command that succeeds has printed. */
  const printed = async (...words: string[]) => {
    const { code, stdout, stderr } = await target.run(...words);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const lastObject = (stdout: string) => objectsIn({ stdout }).at(-1);
  const DRY_RUN = ['import', '--admins', 'skip', '--dry-run'];
  const IMPORT = ['import', '--admins', 'skip', '--yes'];

  test('inspect, a dry run and an import say how many accounts had one, and import none', async () => {
    // Names of columns have no case in these databases.
    await addColumn('Two_Factor_Confirmed_At');
    await confirm(patient, withoutDates);
    for (const words of [['inspect'], DRY_RUN]) {
      expect((await printed(...words)).split('\n').filter((line) => line === TWO)).toHaveLength(1);
      expect(lastObject(await printed(...words, '--json'))).toMatchObject({ secondFactors: 2 });
    }
    expect((await printed(...IMPORT)).split('\n')).toContain(TWO);
    // The summary is kept, and shown again.
    expect((await printed(...IMPORT)).split('\n')).toContain(TWO);
    const imported = await target.database.accounts.find().toArray();
    expect(imported.map(({ _id }) => _id)).toEqual(
      expect.arrayContaining([String(patient.id), String(withoutDates.id)]),
    );
    expect(imported.filter((account) => 'factors' in account)).toEqual([]);
  });

  test('one account is counted in a table of another name', async () => {
    await addColumn('two_factor_confirmed_at');
    await confirm(cost12);
    await target.legacy.database.query('RENAME TABLE accounts TO users');
    const map = path.join(target.folder, 'map.json');
    await writeFile(map, JSON.stringify({ accounts: { table: 'users' } }));
    expect((await printed('inspect', '--map', map)).split('\n')).toContain(ONE);
    const imported = await printed(...IMPORT, '--map', map, '--json');
    expect(lastObject(imported)).toMatchObject({ event: 'summary', secondFactors: 1 });
  });

  test.each([
    ['without the column', []],
    ['without a time in it', ['two_factor_confirmed_at']],
    ['that were never confirmed', ['two_factor_secret']],
  ])('the commands say nothing about accounts %s', async (_, columns) => {
    for (const name of columns) {
      await addColumn(name);
    }
    if (columns.includes('two_factor_secret')) {
      await target.legacy.database.query('UPDATE accounts SET two_factor_secret = NOW()');
    }
    for (const words of [['inspect'], DRY_RUN, IMPORT]) {
      expect(await printed(...words)).not.toContain('second factor');
    }
    expect(lastObject(await printed('inspect', '--json'))).toMatchObject({ secondFactors: 0 });
  });
});

describe('the way back beside second factors', () => {
  const move = useMove({ ID_FORMAT: 'integer', ...TWO_FACTOR });
  const ACCEPTED = '--without-second-factors';

  test('back stops with their number, also a dry run, until the operator does without them', async () => {
    const before = await rowsThere(move);
    await move.setEmail(cost12, 'here@example.org');
    await anEnrolledPerson(move.app.url);
    const first = await move.back('--yes');
    expect([first.code, first.stdout]).toEqual([2, '']);
    expect(first.stderr).toContain(
      '1 account has a second factor here. The login of the legacy service asks for no code',
    );
    const other = await anEnrolledPerson(move.app.url);
    // The legacy service would let its owner in.
    await move.admin('accounts', 'disable', '--account', other.id);
    for (const words of [['--yes'], ['--dry-run'], ['--yes', '--accept']]) {
      const refused = await move.back(...words);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('2 accounts have a second factor here.');
      expect(refused.stderr).toContain(ACCEPTED);
    }
    expect(await rowsThere(move)).toEqual(before);

    const dryRun = await move.back('--dry-run', '--accept', ACCEPTED);
    expect([dryRun.code, countsIn(dryRun)]).toMatchObject([0, { 'accounts changed': 1 }]);
    expect(await rowsThere(move)).toEqual(before);
    const written = await move.back('--yes', '--accept', ACCEPTED);
    expect([written.code, countsIn(written)]).toEqual([0, countsIn(dryRun)]);
  });

  test('back continues when the last second factor is removed', async () => {
    const { token, password, secretKey } = await anEnrolledPerson(move.app.url);
    expect(await move.back('--dry-run')).toMatchObject({ code: 2 });
    nextCode();
    done(await byRest(move.app.url)('disableTwoFactor', { password, code: codeAt(secretKey) }, token));
    const dryRun = await move.back('--dry-run', '--accept');
    expect([dryRun.code, dryRun.stderr]).toEqual([0, '']);
    expect(countsIn(dryRun)).not.toHaveProperty('accounts removed');
  });
});
