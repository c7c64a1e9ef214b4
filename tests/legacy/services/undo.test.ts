import { existsSync } from 'node:fs';
import path from 'node:path';
import { digestOfHash } from '../../../src/stores/account-credentials.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addAccount } from '../support/legacy-service.ts';
import { addLegacyRows } from '../support/legacy-tables.mjs';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { type CommandResult, countsIn, killAt, snapshotOf, summaryOf, useMove } from '../support/move.ts';

const { patient, cost12, argon2id, argon2i } = LEGACY_ACCOUNTS;

const move = useMove({}, { isImported: false });

const runOf = (result: CommandResult) => String(summaryOf(result).run);

test('an import is taken back, but for what was changed, disabled or used here', async () => {
  const before = await snapshotOf(move);
  const run = runOf(await move.import());
  const imported = await snapshotOf(move);
  const { accounts, tokens } = move.app.database;
  const set = (account: { id: number }, fields: object) =>
    accounts.updateOne({ _id: String(account.id) }, { $set: fields });
  await set(patient, { name: 'Here' });
  await set(cost12, { disabledAt: new Date() });
  const token = await tokens.findOne({ _id: String(LEGACY_TOKENS.doctor.id) });
  const { imported: _, ...issuedHere } = { ...token, _id: 'new', accountId: String(argon2id.id) };
  await tokens.insertOne(issuedHere as never);
  await set(argon2i, { passwordHash: `$2b$12$${'x'.repeat(53)}`, upgradedFrom: digestOfHash(argon2i.hash) });

  const result = await move.done('undo', '--run', run, '--yes');

  expect(result.found.toSorted()).toEqual(
    [patient, cost12, argon2id].map(({ id }) => `accounts ${id} kept`).toSorted(),
  );
  const after = await snapshotOf(move);
  expect(after.accounts.map(({ _id }) => _id).toSorted()).toEqual(
    [patient, cost12, argon2id].map(({ id }) => String(id)).toSorted(),
  );
  expect(new Set(after.tokens.map(({ accountId }) => accountId))).toEqual(
    new Set([String(patient.id), String(argon2id.id)]),
  );
  expect([after.profiles, after.documents]).toEqual([before.profiles, before.documents]);
  expect(countsIn(result)).toEqual({
    'accounts removed': imported.accounts.length - after.accounts.length,
    'profiles removed': imported.profiles.length,
    // The one that stands for a token of this gateway was added since.
    'tokens removed': imported.tokens.length + 1 - after.tokens.length,
    'files removed': imported.documents.length,
    kept: 3,
  });
  expect((await move.run('undo', '--run', run, '--yes')).code).toBe(2);
  // The same import is possible again.
  await move.import();
  expect((await snapshotOf(move)).accounts).toHaveLength(14);
});

test('a sync is taken back: what it added goes, what it changed stays', async () => {
  await move.import();
  const added = { ...patient, id: 4_294_967_400, email: 'added@example.org', phone: '20' };
  await addAccount(move.query, added);
  await move.changeThere('accounts', patient, { name: 'Changed' });
  const before = await snapshotOf(move);
  const run = runOf(await move.sync());

  const result = await move.done('undo', '--run', run, '--yes');

  expect(countsIn(result)).toEqual({ 'accounts removed': 1 });
  const after = await snapshotOf(move);
  const names = after.accounts.map(({ _id, name }) => [_id, name]);
  expect(names).toEqual(
    before.accounts.map(({ _id, name }) => [_id, _id === String(patient.id) ? 'Changed' : name]),
  );
  // The next sync takes it again.
  expect(countsIn(await move.sync())).toEqual({ 'accounts added': 1 });
});

test('an undo that is killed at any moment continues when it runs again', async () => {
  await addLegacyRows(move.query, {
    accounts: 5_000,
    tokens: 5_000,
    doctorEvery: 0,
    firstId: 10_000,
  });
  const run = runOf(await move.import());
  const { accounts, tokens } = move.app.database;
  for (const left of [4_500, 1_500]) {
    await killAt(
      move.start('undo', '--run', run, '--yes'),
      async () => (await accounts.countDocuments()) < left || (await tokens.countDocuments()) < left,
    );
  }
  await move.done('undo', '--run', run, '--yes');
  expect(await move.app.database.count()).toEqual({ accounts: 0, profiles: 0, tokens: 0 });
});

test('without --yes, or for an unknown run, nothing is taken back; finish forgets the runs', async () => {
  const imported = await move.import();
  const before = await snapshotOf(move);
  expect((await move.run('undo', '--run', runOf(imported))).code).toBe(2);
  expect((await move.run('undo', '--run', 'other', '--yes')).code).toBe(2);
  expect((await move.run('finish')).code).toBe(2);
  await move.done('finish', '--yes');
  const names = (await move.app.database.db.listCollections().toArray()).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('legacy_'))).toEqual([]);
  expect((await move.run('sync', '--files', move.legacy.filesDir)).code).toBe(2);
  expect(await snapshotOf(move)).toEqual(before);
  expect(existsSync(path.join(String(summaryOf(imported).folder), 'report.ndjson'))).toBe(true);
});
