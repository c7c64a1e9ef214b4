import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { aPdf, aPdfOf } from '../../support/documents.ts';
import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import { aDoctor } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addAccount, addFile, addProfile } from '../support/legacy-service.ts';
import { countsIn, type Move, startMove } from '../support/move.ts';

// A legacy service that stores documents with Laravel's `storeAs`: names and folders are its own.
const LICENSE = 'doctor_profiles/licenses/scan of licence.pdf';
const DIPLOMA = 'doctor_profiles/Dr. Zoë #1/Zeugnis 100%.pdf';
const CERTIFICATION = 'doctor_profiles/certifications/Pru\u0308fung.pdf';
const OWN_FORM = `licenses/${'s'.repeat(40)}.pdf`;

/** Documents that cannot be taken, as rows have them. */
const NOT_TAKEN = [
  '../../../../etc/passwd',
  'uploads/licence.pdf',
  'doctor_profiles/.htaccess',
  'https://cdn.example.org/licence.pdf',
  'doctor_profiles/a\nb.pdf',
  '',
  '/',
];

const named = { ...LEGACY_ACCOUNTS.doctor, id: 60, email: 'named@example.org', phone: '60' };
const untaken = NOT_TAKEN.map((storedPath, index) => ({
  storedPath,
  account: { ...named, id: 70 + index, email: `untaken-${index}@example.org`, phone: `7${index}` },
}));
const hostile = { ...named, id: 90, email: 'hostile@example.org', phone: '90' };

let move: Move;
let victim: Awaited<ReturnType<typeof registerVictim>>;
beforeAll(async () => {
  move = await startMove();
  const { filesDir } = move.legacy;
  const { query } = move;
  await addAccount(query, named);
  const paths = {
    license_file_path: LICENSE,
    diploma_file_path: DIPLOMA,
    certification_file_path: CERTIFICATION,
  };
  await addProfile(query, filesDir, { id: 60, user_id: named.id, ...paths });
  for (const { account, storedPath } of untaken) {
    await addAccount(query, account);
    await addProfile(query, filesDir, { id: account.id, user_id: account.id });
    await setLicense(account.id, storedPath);
  }
  victim = await registerVictim();
  await addAccount(query, hostile);
  await addProfile(query, filesDir, { id: hostile.id, user_id: hostile.id });
  await setLicense(hostile.id, victim.licenseFilePath);
  await move.import();
});
afterAll(() => move.stop());

const setLicense = (id: number, license_file_path: string) =>
  move.changeThere('doctor_profiles', { id }, { license_file_path });
/** What a verification finds to be different. */
const differing = async () => (await move.verify()).found.filter((line) => line.endsWith(' differs'));
const there = (storedPath: string) => path.join(move.legacy.filesDir, storedPath);

/** A doctor of the gateway, whose license a row of the legacy database names. */
async function registerVictim() {
  const { url, database } = move.app;
  const doctor = aDoctor();
  const { account, profile } = registeredDoctor(await restApi(url).registerDoctor(doctor));
  const stored = await database.profiles.findOne({ _id: account.id });
  return { license: profile.licenseFileUrl, licenseFilePath: String(stored?.licenseFilePath) };
}

/** The URLs that a doctor sees after a login with the imported password. */
async function urlsOf({ email, password }: { email: string; password: string }): Promise<string[]> {
  const { token } = authenticated(await restApi(move.app.url).login({ email, password }));
  const profile = (await accountOf(move.app.url, token))?.profile;
  return [profile?.licenseFileUrl, profile?.diplomaFileUrl, profile?.certificationUrl].map(String);
}

test('documents with ordinary names are taken, and found at the URLs that the doctor sees', async () => {
  const urls = await urlsOf(named);
  const expected = [LICENSE, DIPLOMA, CERTIFICATION].map((name) => readFile(there(name)));
  for (const [index, content] of (await Promise.all(expected)).entries()) {
    const { status, bytes, headers } = await send(urls[index] ?? '');
    expect([status, bytes.equals(content)]).toEqual([200, true]);
    expect(headers.get('cache-control')).toBe('public, no-cache');
  }
});

test.each(untaken)(
  'a doctor whose license is "$storedPath" has the profile and the other documents',
  async ({ account }) => {
    expect(await move.profileHere(account)).toMatchObject({ specialization: 'Cardiology' });
    const [license = '', ...others] = await urlsOf(account);
    expect(license.startsWith(`${move.app.url}/storage/`)).toBe(true);
    expect((await send(license)).status).toBe(404);
    for (const url of others) {
      expect((await send(url)).status).toBe(200);
    }
  },
);

test('an inspection names each document that is not taken, and a verification finds nothing different', async () => {
  const { found } = await move.done('inspect', '--files', move.legacy.filesDir);
  const kept = NOT_TAKEN.map((text) => (text === '' || text === '/' ? 'doctor_profiles/' : text));
  expect(found).toEqual(expect.arrayContaining(kept.map((id) => `files ${id} not taken`)));
  expect(await move.verify()).toMatchObject({ code: 0 });
});

test('a row that names the document of a doctor here gets nothing of it, and its erasure leaves it alone', async () => {
  expect(await move.profileHere(hostile)).toMatchObject({ licenseFilePath: `/${victim.licenseFilePath}` });
  const [license = ''] = await urlsOf(hostile);
  expect((await send(license)).status).toBe(404);
  await move.admin('accounts', 'erase', '--account', String(hostile.id), '--now', '--yes');
  expect(await move.profileHere(hostile)).toBeNull();
  expect((await send(victim.license)).status).toBe(200);
});

test('a profile that the version before has left out for the name of a document is taken by the next sync', async () => {
  const { db, profiles } = move.app.database;
  const former = await move.profileHere(named);
  const batches = db.collection<{ _id: string; keys: string; digests: string; digestCharacters: number }>(
    'legacy_batches',
  );
  const batch = await batches.findOne({ _id: 'profiles:00000000' });
  const width = Number(batch?.digestCharacters);
  const start = width * String(batch?.keys).split('\n').indexOf(String(named.id));
  const [before, after] = [batch?.digests.slice(0, start), batch?.digests.slice(start + width)];
  const digests = `${before}${'0'.repeat(16).padEnd(width)}${after}`;
  await batches.updateOne({ _id: String(batch?._id) }, { $set: { digests }, $unset: { withKey: '' } });
  await profiles.deleteOne({ _id: String(named.id) });
  await rm(path.join(move.app.storageDir, LICENSE));

  expect(countsIn(await move.sync())).toMatchObject({ 'profiles added': 1 });

  expect(await move.profileHere(named)).toEqual(former);
  expect((await send((await urlsOf(named))[0] ?? '')).status).toBe(200);
});

test('a file that has changed under its name is copied, also with the same size and time', async () => {
  const former = await readFile(there(LICENSE));
  const { atime, mtime } = await stat(there(LICENSE));
  const { revision = 0 } = (await move.profileHere(named)) ?? {};
  const changed = Buffer.from(former);
  changed.set(aPdfOf(changed.length).bytes.subarray(20), 20);
  changed[changed.length - 1] = 0x41;
  await writeFile(there(LICENSE), changed);
  await utimes(there(LICENSE), atime, mtime);
  expect(await differing()).toEqual([`files ${LICENSE} differs`]);

  expect(countsIn(await move.sync())).toEqual({ 'files changed': 1 });

  const [license = ''] = await urlsOf(named);
  expect((await send(license)).bytes.equals(changed)).toBe(true);
  // A reviewer who looks at the former content must read again.
  expect(await move.profileHere(named)).toMatchObject({ revision: (revision ?? 0) + 1 });
  expect(await move.verify()).toMatchObject({ code: 0 });
  expect(countsIn(await move.sync())).toEqual({});
});

test('a file with a random name that has changed there is reported by a verification, and not copied', async () => {
  const { license_file_path: license } = move.legacy.profiles.doctor;
  const former = await readFile(there(license));
  await writeFile(there(license), aPdf().bytes);
  expect(countsIn(await move.sync())).toEqual({});
  expect(await differing()).toEqual([`files ${license} differs`]);
  await writeFile(there(license), former);
});

test('a file that arrives after its row is copied with the next sync', async () => {
  const late = 'doctor_profiles/licenses/sent later.pdf';
  await setLicense(named.id, late);
  expect(countsIn(await move.sync())).toEqual({ 'profiles changed': 1 });
  await addFile(move.legacy.filesDir, late);
  expect(countsIn(await move.sync())).toEqual({ 'files added': 1 });
  expect(await move.verify()).toMatchObject({ code: 0 });
});

test('rows of documents that become ordinary ones are taken, and rows that lose theirs keep the profile', async () => {
  const [{ account } = untaken[0] ?? { account: named }] = untaken;
  await addFile(move.legacy.filesDir, 'doctor_profiles/licenses/found again.pdf');
  await setLicense(account.id, 'doctor_profiles/licenses/found again.pdf');
  expect(countsIn(await move.sync())).toEqual({ 'profiles changed': 1 });
  expect((await send((await urlsOf(account))[0] ?? '')).status).toBe(200);
  await setLicense(account.id, OWN_FORM);
  expect(countsIn(await move.sync())).toEqual({ 'profiles changed': 1 });
  expect((await send((await urlsOf(account))[0] ?? '')).status).toBe(404);
});

test('an erasure removes documents with ordinary names, and their folders', async () => {
  await move.admin('accounts', 'erase', '--account', String(named.id), '--now', '--yes');
  expect(await move.profileHere(named)).toBeNull();
  const folder = path.join(move.app.storageDir, 'doctor_profiles');
  await expect(stat(path.join(folder, 'Dr. Zoë #1'))).rejects.toThrow('ENOENT');
  await expect(stat(path.join(folder, CERTIFICATION.slice('doctor_profiles/'.length)))).rejects.toThrow(
    'ENOENT',
  );
  // It does not come back.
  expect(countsIn(await move.sync())).not.toHaveProperty('files added');
  await rm(there(DIPLOMA));
});
