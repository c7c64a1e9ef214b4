import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { authenticated } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addFile } from '../support/legacy-service.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { countsIn, reasonsIn, summaryOf, useMove } from '../support/move.ts';

storesWrongRecords();

const { admin, patient, doctor, cost12, argon2i, argon2id, doctorWithoutCertification } = LEGACY_ACCOUNTS;
const idOf = ({ id }: { id: number }) => String(id);
const HASH = `$2b$12$${'x'.repeat(53)}`;

const move = useMove({ ID_FORMAT: 'integer' }, { isImported: false });

const back = () => move.done('back', '--files', move.legacy.filesDir, '--yes');
const tokensOf = (one: { id: number }) => move.app.database.tokens.countDocuments({ accountId: idOf(one) });
const changeAccount = (one: { id: number }, fields: object) =>
  move.app.database.accounts.updateOne({ _id: idOf(one) }, { $set: { ...fields, updatedAt: new Date() } });
const changeProfile = (one: { id: number }, fields: object) =>
  move.app.database.profiles.updateOne({ _id: idOf(one) }, { $set: fields });
const decided = (status: string) => ({
  verification: { status, decidedAt: new Date(), reason: 'Seen.', submittedAt: new Date() },
  revision: 1,
});

/** Stores new documents of a doctor, as a reviewer's decision on resubmitted ones does. */
async function decideOnNewDocuments(one: { id: number }) {
  const paths = ['licenses', 'diplomas', 'certifications'].map((group) => `${group}/${'n'.repeat(40)}.pdf`);
  for (const storedPath of paths) {
    const file = path.join(move.app.storageDir, storedPath);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, '%PDF-1.7 new');
  }
  const [licenseFilePath, diplomaFilePath, certificationFilePath] = paths;
  const documents = { licenseFilePath, diplomaFilePath, certificationFilePath };
  await changeProfile(one, { ...decided('verified'), ...documents });
  return paths;
}

/** What an account is whose owner has closed it. */
const close = (one: { id: number }) => {
  const now = new Date();
  return move.app.database.accounts.updateOne(
    { _id: idOf(one) },
    { $set: { disabledAt: now, erasureDueAt: now } as object },
  );
};

/** Leaves of an account what its erasure leaves. */
async function erase(one: { id: number }): Promise<void> {
  const { accounts, profiles, tokens, db } = move.app.database;
  await tokens.deleteMany({ accountId: idOf(one) });
  await profiles.deleteOne({ _id: idOf(one) });
  await db.collection<{ _id: string }>('erasures').insertOne({ _id: idOf(one) });
  await accounts.deleteOne({ _id: idOf(one) });
}

test('administrators become reviewers without profile and tokens, and doctors are verified, if asked for', async () => {
  await move.query(
    'INSERT INTO doctor_profiles SELECT NULL, ?, specialization, ?, license_file_path, diploma_file_path, certification_file_path, NULL, NULL, NULL, NULL, created_at, updated_at FROM doctor_profiles WHERE user_id = ?',
    [admin.id, 'MD-ADMIN', doctor.id],
  );
  const result = await move.import('--admins', 'reviewer', '--doctors', 'verified');
  expect(reasonsIn(result)).toContain(`tokens ${LEGACY_TOKENS.admin.id}: its account is an administrator`);
  expect(reasonsIn(result)).toContain(`profiles ${admin.id}: its account is an administrator`);
  expect(await move.accountHere(admin)).toMatchObject({ role: 'reviewer', passwordHash: admin.hash });
  expect([await move.profileHere(admin), await tokensOf(admin)]).toEqual([null, 0]);
  expect(await move.profileHere(doctor)).toMatchObject({
    verification: { status: 'verified', decidedAt: null, reason: 'Taken over as verified.' },
  });
  expect(await move.verify()).toMatchObject({ code: 0, found: [] });

  const api = restApi(move.app.url);
  const legacyToken = await send(`${move.app.url}/api/v1/user`, {
    headers: bearer(LEGACY_TOKENS.admin.plain),
  });
  expect(legacyToken.status).toBe(401);
  const { account } = authenticated(await api.login({ email: admin.email, password: admin.password }));
  expect(account).toMatchObject({ role: 'reviewer' });

  // Nobody gets the power over doctors by a token that was issued without it.
  expect(await tokensOf(patient)).toBeGreaterThan(0);
  await move.changeThere('accounts', patient, { role: 'admin' });
  expect(countsIn(await move.sync())).toEqual({ 'accounts changed': 1 });
  expect([(await move.accountHere(patient))?.role, await tokensOf(patient)]).toEqual(['reviewer', 0]);
  await move.changeThere('accounts', admin, { role: 'patient' });
  await move.sync();
  expect(await move.accountHere(admin)).toMatchObject({ role: 'patient' });
});

test('what was decided, chosen or erased here stays so, whatever a sync brings, and verify knows', async () => {
  await move.import('--admins', 'skip', '--doctors', 'verified');
  await changeProfile(doctor, decided('suspended'));
  await changeProfile(doctorWithoutCertification, decided('verified'));
  await changeAccount(cost12, { email: 'chosen@example.org', emailKey: 'chosen@example.org' });
  await changeAccount(argon2i, { passwordHash: HASH });
  await erase(argon2id);
  await close(patient);
  expect((await move.verify()).code).toBe(0);

  const license = `doctor_profiles/licenses/${'n'.repeat(40)}.pdf`;
  await addFile(move.legacy.filesDir, license);
  await move.changeThere('doctor_profiles', doctor, { specialization: 'Surgery' });
  await move.changeThere('doctor_profiles', doctorWithoutCertification, { license_file_path: license });
  await move.changeThere('accounts', cost12, { email: 'there@example.org' });
  await move.changeThere('accounts', argon2i, { password: patient.hash });
  await move.changeThere('accounts', argon2id, { name: 'There' });
  const result = await move.sync();

  expect(reasonsIn(result)).toEqual([
    `accounts ${cost12.id}: it was changed on both sides; the change here stays`,
    `accounts ${argon2id.id}: it was erased here`,
    `accounts ${argon2i.id}: it was changed on both sides; the change here stays`,
  ]);
  expect(await move.profileHere(doctor)).toMatchObject({
    specialization: 'Surgery',
    revision: 1,
    verification: { status: 'suspended', reason: 'Seen.' },
  });
  // A reviewer who has the former documents open decides about those no more.
  expect(await move.profileHere(doctorWithoutCertification)).toMatchObject({
    licenseFilePath: license,
    revision: 2,
    verification: { status: 'verified' },
  });
  expect(await move.accountHere(cost12)).toMatchObject({ emailKey: 'chosen@example.org' });
  expect(await move.accountHere(argon2i)).toMatchObject({ passwordHash: HASH });
  expect(await move.accountHere(argon2id)).toBeNull();
  expect(await move.accountHere(patient)).toMatchObject({ erasureDueAt: expect.any(Date) });
  expect((await move.verify()).code).toBe(0);
});

const VERIFIED = { status: 'verified', decidedAt: null, reason: 'Taken over as verified.' };

test.each([
  ['pending', { ...VERIFIED, submittedAt: new Date() }],
  ['verified', undefined],
  ['verified', { ...VERIFIED, status: 'pending', submittedAt: new Date() }],
  ['verified', { ...VERIFIED, reason: null, submittedAt: new Date() }],
])(
  'a doctor who was imported as %s and is something else without a decision is found',
  async (policy, verification) => {
    await move.import('--admins', 'skip', '--doctors', policy);
    expect(await move.verify()).toMatchObject({ code: 0, found: [] });
    // The time of the documents stays when the row gets another one.
    await move.query('UPDATE doctor_profiles SET created_at = created_at + INTERVAL 1 DAY', []);
    await move.sync();
    expect(await move.verify()).toMatchObject({ code: 0, found: [] });

    const change = verification ? { $set: { verification } } : { $unset: { verification: '' } };
    await move.app.database.profiles.updateOne({ _id: idOf(doctor) }, change as object);
    const found = await move.verify();
    expect([found.code, reasonsIn(found)]).toEqual([1, [`profiles ${doctor.id}: verification`]]);

    await changeProfile(doctor, decided('rejected'));
    const kept = await move.verify();
    expect([kept.code, reasonsIn(kept)]).toEqual([
      0,
      [`profiles ${doctor.id}: it was changed here (verification)`],
    ]);
    await changeProfile(doctor, { specialization: 'Other' });
    expect((await move.verify()).code).toBe(1);
  },
);

test('the import that adds the files must not decide otherwise about doctors and administrators', async () => {
  await move.done('import', '--admins', 'skip', '--doctors', 'verified', '--yes');
  const files = ['--files', move.legacy.filesDir, '--yes'];
  for (const words of [
    ['--admins', 'skip'],
    ['--admins', 'reviewer', '--doctors', 'verified'],
  ]) {
    expect(await move.run('import', ...files, ...words)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/had another value of --(doctors|admins)\. Give the one that it had/),
    });
  }
  await move.done('import', ...files, '--admins', 'skip', '--doctors', 'verified');
  expect(await move.verify()).toMatchObject({ code: 0, found: [] });
});

test('an undo keeps who was reviewed here, and another import brings no erased account back', async () => {
  const { run } = summaryOf(await move.import('--admins', 'reviewer', '--doctors', 'verified'));
  await changeProfile(doctor, decided('rejected'));
  await erase(patient);
  await erase(doctorWithoutCertification);
  const undone = await move.done('undo', '--run', String(run), '--yes');
  expect(reasonsIn(undone)).toEqual([`accounts ${doctor.id}: it was reviewed here`]);
  expect([await move.accountHere(admin), await move.profileHere(doctor)]).toMatchObject([
    null,
    { verification: { status: 'rejected' } },
  ]);

  const again = reasonsIn(await move.import('--admins', 'skip'));
  expect(again).toContain(`accounts ${patient.id}: it was erased here`);
  expect(again).toContain(`profiles ${doctorWithoutCertification.id}: its account was not taken`);
  expect([
    await move.accountHere(patient),
    await tokensOf(patient),
    await move.profileHere(doctorWithoutCertification),
  ]).toEqual([null, 0, null]);
  const { license_file_path } = move.legacy.profiles.doctorWithoutCertification;
  expect(existsSync(path.join(move.app.storageDir, license_file_path))).toBe(false);
});

test('the way back has documents that were decided on here, and makes nobody an administrator', async () => {
  await move.import('--admins', 'reviewer');
  expect(await move.profileHere(doctor)).not.toHaveProperty('verification');
  const documents = await decideOnNewDocuments(doctor);
  const until = new Date('2030-01-01T00:00:00Z');
  await move.app.database.profiles.updateOne(
    { _id: idOf(doctor) },
    { $set: { 'verification.until': until } as object },
  );
  const proposal = { name: 'Dr. Proposed', submittedAt: new Date() };
  await changeProfile(doctorWithoutCertification, { ...decided('suspended'), proposal });
  await changeAccount(admin, { name: 'Ada Here' });
  await close(patient);
  const { accounts, tokens } = move.app.database;
  const stored = await accounts.findOne({ _id: idOf(admin) });
  const fresh = (id: string) => ({
    ...stored,
    _id: id,
    email: `${id}@example.org`,
    emailKey: `${id}@example.org`,
    phone: id,
  });
  await accounts.insertMany([
    fresh('5000000001'),
    { ...fresh('5000000002'), role: 'patient', disabledAt: new Date(), erasureDueAt: new Date() },
  ] as never);
  const { imported: _, ...token } = (await tokens.findOne({ _id: idOf(LEGACY_TOKENS.used) })) ?? {};
  await tokens.insertOne({
    ...token,
    _id: '5000000003',
    accountId: idOf(admin),
    // The tokens of reviewers end after an hour without use.
    ...{ createdAt: new Date(), lastUsedAt: new Date() },
    secretHash: 'c'.repeat(64),
  } as never);

  const result = await back();

  expect(countsIn(result)).toEqual({
    'accounts changed': 1,
    'profiles changed': 1,
    // Those of the account that its owner has closed.
    'tokens removed': 9,
    'files copied': 3,
  });
  const closed = 'its owner has closed it; the legacy service lets its owner log in, and does not erase it';
  expect(reasonsIn(result)).toEqual([
    `accounts 10: ${closed}`,
    'accounts 5000000001: it is a reviewer, and would be an administrator there',
    'accounts 5000000002: its owner has closed it',
    `accounts 5000000002: ${closed}`,
    `profiles ${doctor.id}: its verification ends here at 2030-01-01T00:00:00.000Z; the legacy service does not know that`,
    `profiles ${doctorWithoutCertification.id}: a correction waits for a decision, and is not written; decide first`,
    `profiles ${doctorWithoutCertification.id}: it is suspended here; the legacy service does not know that`,
    'tokens 5000000003: it is of a reviewer, and would be of an administrator there',
  ]);
  const [row] = await move.query('SELECT name, role FROM accounts WHERE id = ?', [admin.id]);
  expect(row).toEqual({ name: 'Ada Here', role: 'admin' });
  const [profile] = await move.query(
    'SELECT license_file_path AS license FROM doctor_profiles WHERE user_id = ?',
    [doctor.id],
  );
  expect(profile).toEqual({ license: `doctor_profiles/${documents[0]}` });
  expect(documents.every((one) => existsSync(path.join(move.legacy.filesDir, 'doctor_profiles', one)))).toBe(
    true,
  );
  expect(countsIn(await back())).toEqual({});
  expect(countsIn(await move.sync())).toEqual({});
  expect((await move.verify()).code).toBe(0);
});
