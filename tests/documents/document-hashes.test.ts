import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { jest } from '@jest/globals';
import { migrate } from '../../src/stores/schema-version.ts';
import { systemClock } from '../../src/system/clock.ts';
import { aPdf, type TestDocument } from '../support/documents.ts';
import { A_NOTE } from '../support/event-note.ts';
import { type Authenticated, registeredDoctor } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aDoctor, EMPTY_PROFILE } from '../support/people.ts';
import { newReviewer, openDoctor } from '../support/reviews.ts';
import { LOCAL, useStorageWith } from './support/stores.ts';

const sha256 = ({ bytes }: TestDocument) => createHash('sha256').update(bytes).digest('hex');
const LICENSE = 'doctor_profiles/licenses/2019/licence of somebody.pdf';

const running = useStorageWith(LOCAL);
let reviewer: Authenticated;
beforeAll(async () => {
  reviewer = await newReviewer(running.app);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await running.app.database.profiles.deleteMany({});
});

const stored = (_id: string) => running.app.database.profiles.findOne({ _id });
const hashesOf = async (id: string) =>
  Object.fromEntries((await stored(id))?.documentHashes?.map((one) => [one.path, one.sha256]) ?? []);
const sweep = (signal?: AbortSignal) => running.storage.sweep.run(signal ? { signal } : {});

const place = ({ bytes }: TestDocument, storedPath = LICENSE) => running.place(storedPath, bytes);

/** A doctor who has registered. */
async function register(fields = {}): Promise<string> {
  const doctor = registeredDoctor(await graphqlApi(running.app.url).registerDoctor(aDoctor(fields)));
  return String(doctor.account.id);
}

/** A doctor whose profile is that of an import by an earlier version, with one document, after the migration. */
async function anEarlierDoctor(licenseFilePath = LICENSE): Promise<string> {
  const { profiles, db } = running.app.database;
  const _id = await register();
  await profiles.deleteOne({ _id });
  await profiles.insertOne({
    ...{ _id, specialization: 'Surgery', licenseNumber: 'L-17', licenseFilePath },
    ...{ diplomaFilePath: 'doctor_profiles/', certificationFilePath: null, ...EMPTY_PROFILE },
    createdAt: new Date(),
  });
  await db.collection('schema').updateOne({}, { $set: { version: 3 } });
  await migrate(running.storage.connection, { clock: systemClock });
  return _id;
}

test('a sweep makes those of an earlier version, and a reviewer sees who has sent the same', async () => {
  const license = aPdf();
  await place(license);
  const [id, other] = [await anEarlierDoctor(), await register({ diplomaFile: license })];
  expect(await stored(id)).toMatchObject({ unhashed: expect.any(String) });
  await sweep();
  expect(await hashesOf(id)).toEqual({ [LICENSE]: sha256(license) });
  expect(await stored(id)).not.toHaveProperty('unhashed');
  const found = await openDoctor(running.app, reviewer.token, other);
  expect(found.others).toMatchObject([{ id, hasSameDocument: true, hasSameLicenseNumber: false }]);
  // A further sweep has nothing to read.
  const open = jest.spyOn(running.storage.documents, 'open');
  await sweep();
  expect(open).not.toHaveBeenCalled();
});

test('a document that is not there is hashed when it is', async () => {
  const id = await anEarlierDoctor();
  await running.storage.documents.remove(LICENSE);
  const before = await stored(id);
  await sweep();
  const after = await stored(id);
  expect(after).not.toHaveProperty('documentHashes');
  // It waits behind all others.
  expect(String(after?.unhashed) > String(before?.unhashed)).toBe(true);
  const license = aPdf();
  await place(license);
  await sweep();
  expect(await hashesOf(id)).toEqual({ [LICENSE]: sha256(license) });
});

test('a document that cannot be read holds up no other one in the next sweep, and the sweep says so', async () => {
  const [license, other] = [aPdf(), aPdf()];
  const another = 'doctor_profiles/licenses/2019/another.pdf';
  await place(license);
  await place(other, another);
  const [broken, whole] = [await anEarlierDoctor(), await anEarlierDoctor(another)];
  const open = running.storage.documents.open.bind(running.storage.documents);
  jest.spyOn(running.storage.documents, 'open').mockImplementation(async (storedPath) => {
    if (storedPath === LICENSE) {
      throw new Error('EIO');
    }
    return open(storedPath);
  });
  for (let sweeps = 0; sweeps < 2 && Object.keys(await hashesOf(whole)).length === 0; sweeps += 1) {
    await sweep().catch(({ message }: Error) => expect(message).toBe('EIO'));
  }
  expect(await hashesOf(whole)).toEqual({ [another]: sha256(other) });
  expect(await hashesOf(broken)).toEqual({});
  jest.restoreAllMocks();
  await sweep();
  expect(await hashesOf(broken)).toEqual({ [LICENSE]: sha256(license) });
});

test('a document that is replaced while it is read does not keep the hash of the former content', async () => {
  const [former, next] = [aPdf(), aPdf()];
  await place(former);
  const id = await anEarlierDoctor();
  const { documents, stores } = running.storage;
  const open = jest.spyOn(documents, 'open').mockImplementationOnce(async () => {
    // As a sync does it.
    await stores.doctors.noteNewContent(LICENSE);
    await place(next);
    await stores.doctors.noteNewContent(LICENSE, 0);
    return Readable.from([former.bytes]);
  });
  await sweep();
  expect(open).toHaveBeenCalledTimes(1);
  expect(await hashesOf(id)).toEqual({});
  await sweep();
  expect(await hashesOf(id)).toEqual({ [LICENSE]: sha256(next) });
});

test('a decision keeps no hash of a document that it replaces, although a sweep has just made it', async () => {
  await place(aPdf());
  const id = await anEarlierDoctor();
  const { doctors } = running.storage.stores;
  const paths = ['licenses', 'diplomas', 'certifications'].map((group) => `${group}/${'n'.repeat(40)}.pdf`);
  const [licenseFilePath, diplomaFilePath, certificationFilePath] = paths;
  const verification = { status: 'rejected', decidedAt: new Date(), reason: '-', submittedAt: new Date() };
  await running.app.database.profiles.updateOne({ _id: id }, { $set: { verification } } as never);
  const documentHashes = paths.map((one) => ({ path: one, sha256: 'f'.repeat(64) }));
  const sent = { licenseFilePath, diplomaFilePath, certificationFilePath, documentHashes } as never;
  const rejected = await doctors.find(id);
  await doctors.resubmit(rejected as never, sent, new Date(), A_NOTE);
  const read = await doctors.find(id);
  await sweep();
  expect(Object.keys(await hashesOf(id))).toHaveLength(4);
  await doctors.decide(read as never, { ...verification, status: 'verified' }, false, A_NOTE);
  expect((await stored(id))?.documentHashes).toEqual(documentHashes);
  expect(await stored(id)).not.toHaveProperty('unhashed');
});

test('sweeps of several instances at the same time store each hash once', async () => {
  const license = aPdf();
  await place(license);
  const ids = [await anEarlierDoctor(), await anEarlierDoctor(), await anEarlierDoctor()];
  await Promise.all([sweep(), sweep(), sweep()]);
  for (const id of ids) {
    expect((await stored(id))?.documentHashes).toEqual([{ path: LICENSE, sha256: sha256(license) }]);
  }
});

test('a dry run hashes nothing, and a sweep that is stopped leaves the rest', async () => {
  await place(aPdf());
  const ids = [await anEarlierDoctor(), await anEarlierDoctor()];
  const hashed = async () =>
    (await Promise.all(ids.map(hashesOf))).filter((hashes) => Object.keys(hashes).length > 0);
  await running.storage.sweep.run({ dryRun: true });
  expect(await hashed()).toEqual([]);
  const stopping = new AbortController();
  jest.spyOn(running.storage.documents, 'open').mockImplementationOnce(async () => {
    stopping.abort();
    return Readable.from([Buffer.from('any')]);
  });
  await sweep(stopping.signal);
  expect(await hashed()).toHaveLength(1);
});
