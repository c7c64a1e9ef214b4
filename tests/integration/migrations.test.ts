import { judgeSchema } from '../../src/cli/check/schema-findings.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { migrate, refuseNewer, SCHEMA_VERSION, type StoredSchema } from '../../src/stores/schema-version.ts';
import { createLog } from '../../src/system/log.ts';
import { useDatabase } from '../support/database.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { storesWrongRecords } from '../support/record-definitions.ts';

storesWrongRecords();

const opened = useDatabase();
const clock = new ManualClock(new Date());

const schema = () => opened.database.db.collection<StoredSchema>('schema');
const stored = () => schema().findOne();

/** Another instance has begun a migration, and may be alive until then. */
const beganElsewhere = async (millisLeft: number) => {
  const lease = { holder: 'another', until: new Date(clock.now() + millisLeft) };
  await schema().replaceOne({ _id: 'schema' }, { version: 0, lease }, { upsert: true });
};

beforeAll(() => createIndexes(opened.connection));

test('an empty database gets the version of this release without a word', async () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  await migrate(opened.connection, { clock, log });
  expect(await stored()).toEqual({ _id: 'schema', version: SCHEMA_VERSION, release: expect.any(String) });
  expect(lines).toEqual([]);
});

test('a migration that a dead instance has begun is taken over', async () => {
  await beganElsewhere(-1);
  await migrate(opened.connection, { clock });
  expect(await stored()).toEqual({ _id: 'schema', version: SCHEMA_VERSION, release: expect.any(String) });
});

test.each([
  ['of a clock that was wrong', { holder: 'another', until: new Date(clock.now() + 86_400_000) }],
  ['without a time', { holder: 'another' }],
  ['of another type', 'another'],
])('a lease %s is not waited for', async (_what, lease) => {
  await schema().replaceOne({ _id: 'schema' }, { version: 0, lease } as never, { upsert: true });
  // The clock stands still: a wait would have no end.
  await migrate(opened.connection, { clock });
  expect(await stored()).toEqual({ _id: 'schema', version: SCHEMA_VERSION, release: expect.any(String) });
});

test.each([['1'], [null], [0.5], [-1], [Number.NaN], [{}], [undefined]])(
  'a record with the version %p is refused with a sentence',
  async (version) => {
    await schema().replaceOne({ _id: 'schema' }, { version } as never, { upsert: true });
    await expect(refuseNewer(opened.connection)).rejects.toThrow(
      'the record of its schema version is damaged',
    );
    const doctor = await judgeSchema(opened);
    expect(doctor).toMatchObject({ level: 'error', text: expect.stringContaining('is damaged') });
  },
);

test('a migration of an instance that lives is waited for, until it has not renewed its lease', async () => {
  await beganElsewhere(2_000);
  let hasEnded = false;
  const migrating = migrate(opened.connection, { clock }).then(() => {
    hasEnded = true;
  });
  await clock.advance(1_000);
  expect(hasEnded).toBe(false);
  expect(await stored()).toMatchObject({ version: 0, lease: { holder: 'another' } });
  const stopClock = clock.run();
  await migrating;
  stopClock();
  expect(await stored()).toMatchObject({ version: SCHEMA_VERSION });
});

test('a release that waits for a later one does not start with its schema', async () => {
  await beganElsewhere(60_000);
  const version = SCHEMA_VERSION + 1;
  const refused = expect(migrate(opened.connection, { clock })).rejects.toThrow(
    `its schema has version ${version}, of release 9.0.0`,
  );
  await schema().updateOne({ _id: 'schema' }, { $set: { version, release: '9.0.0' }, $unset: { lease: '' } });
  const stopClock = clock.run();
  await refused;
  stopClock();
});

test('a stop ends the wait for another instance', async () => {
  await beganElsewhere(60_000);
  const stopping = new AbortController();
  const migrating = migrate(opened.connection, { clock, signal: stopping.signal });
  stopping.abort(new Error('stopped'));
  await expect(migrating).rejects.toThrow('stopped');
  expect(await stored()).toMatchObject({ lease: { holder: 'another' } });
});

test('a stop within a step leaves the rest to the next start', async () => {
  await schema().deleteOne({});
  const account = { _id: 'a', email: 'a@müller.example', emailKey: 'a@müller.example' };
  await opened.database.accounts.insertOne(account as never);
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(migrate(opened.connection, { clock, signal })).rejects.toThrow('stopped');
  expect(await stored()).toEqual({ _id: 'schema', version: 0 });
  await migrate(opened.connection, { clock });
  expect(await opened.database.accounts.findOne()).toMatchObject({ emailKey: 'a@xn--mller-kva.example' });
});

test('all doctors get the key of their license number, and the sweep is to hash their documents', async () => {
  const { profiles } = opened.database;
  const names = { licenseFilePath: `licenses/${'a'.repeat(40)}.pdf`, certificationFilePath: null };
  const doctor = (_id: string, licenseNumber: string, more: object = {}) =>
    ({ _id, licenseNumber, ...names, diplomaFilePath: 'doctor_profiles/d.pdf', ...more }) as never;
  await profiles.insertMany([
    doctor('a', 'DE-17'),
    doctor('b', 'de 17', { revision: 3 }),
    doctor('c', 'n/a', { removal: 'final' }),
    doctor('d', 'DE-18', { proposal: { licenseNumber: 'D.E.17', submittedAt: new Date() } }),
    ...Array.from({ length: 450 }, (_, index) => doctor(`many ${index}`, `MD-${index}`)),
  ]);
  await schema().replaceOne({ _id: 'schema' }, { version: 3 } as never, { upsert: true });
  await migrate(opened.connection, { clock });
  const [a, b, c, d] = await profiles
    .find({ _id: { $in: ['a', 'b', 'c', 'd'] } })
    .sort({ _id: 1 })
    .toArray();
  expect(a?.licenseKeys).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  expect(b).toMatchObject({ licenseKeys: a?.licenseKeys, revision: 3 });
  expect(c).not.toHaveProperty('licenseKeys');
  expect(d?.licenseKeys).toEqual([expect.any(String), a?.licenseKeys?.[0]]);
  expect(await profiles.countDocuments({ unhashed: { $gt: '' } })).toBe(454);
  expect(await profiles.countDocuments({ licenseKeys: { $gt: '' } })).toBe(453);
  // A start that dies repeats it.
  await schema().updateOne({}, { $set: { version: 3 } });
  await migrate(opened.connection, { clock });
  expect(await profiles.findOne({ _id: 'a' })).toMatchObject({ licenseKeys: a?.licenseKeys });
});

test('an index that another one has replaced is dropped, and it is no error if it never was there', async () => {
  const { tokens, db } = opened.database;
  await tokens.createIndex({ accountId: 1 });
  await schema().replaceOne({ _id: 'schema' }, { version: 1 } as never, { upsert: true });
  await migrate(opened.connection, { clock });
  const indexes = await Promise.all([tokens.indexes(), db.collection('erasures').indexes()]);
  const keys = indexes.flat().map(({ key }) => key);
  expect(keys).not.toContainEqual({ accountId: 1 });
  expect(keys).toContainEqual({ accountId: 1, createdAt: -1, _id: -1 });
  expect(keys).toContainEqual({ settledAt: 1, _id: 1 });
});
