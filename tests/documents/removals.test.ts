import { A_NOTE } from '../support/event-note.ts';
import { closeErasers, openEraser } from '../support/privacy.ts';
import { testClock, useTestApp } from '../support/test-app.ts';
import { ImportedDoctors } from './support/imported-doctors.ts';

// src/stores/doctor-files.ts. tests/faults/kill-while-removing.test.ts kills all who remove one, and
// tests/legacy/removals.test.ts has the mover.

const app = useTestApp();
const ACTOR = { channel: 'admin', ip: '', requestId: 'r', userAgent: undefined } as const;

let imported: ImportedDoctors;
let opened: Awaited<ReturnType<typeof openEraser>>;
beforeEach(async () => {
  imported = new ImportedDoctors(app);
  opened = await openEraser(app, testClock);
});
afterEach(closeErasers);

test('an imported document stays in the trash for 30 days, and comes back only with an account that owns it', async () => {
  const { sweep, stores } = opened.storage;
  const { id, own, shared, other } = await imported.importTwo();
  const remember = await imported.forgetAccount(id);
  expect((await sweep.run()).removed).toEqual([{ kind: 'profile', id }]);
  expect(imported.isThere(shared)).toBe(true);
  await imported.expectWhole(stores.doctors, other.id);
  expect(await sweep.restore()).toEqual([]);
  expect(own.filter((file) => imported.isThere(file))).toEqual([]);
  await remember();
  expect(await sweep.restore()).toHaveLength(1 + own.length);
  await imported.expectWhole(stores.doctors, id);
  await imported.forgetAccount(id);
  await sweep.run();
  expect(own.filter((file) => !imported.isInTrash(file))).toEqual([]);
  testClock.move(31 * 86_400_000);
  await sweep.run();
  expect(own.filter((file) => imported.isInTrash(file))).toEqual([]);
});

test('two doctors who share a document are erased at the same time, and it goes, too', async () => {
  const { id, own, shared, other } = await imported.importTwo();
  await Promise.all([id, other.id].map((each) => opened.erasure.eraseNow(each, ACTOR)));
  await imported.expectNothingLeft(id, own);
  await imported.expectNothingLeft(other.id, [...other.own, shared]);
});

const VERIFIED = { status: 'verified', decidedAt: null, reason: null, submittedAt: new Date() } as const;

test('nobody sees or changes a profile whose removal has begun, and the sweep finishes it', async () => {
  const { sweep, stores } = opened.storage;
  const { id, own, shared, other } = await imported.importTwo();
  const before = await stores.doctors.find(id);
  await app.database.profiles.updateOne({ _id: id }, { $set: { removal: 'final' } });
  expect(await stores.doctors.find(id)).toBeUndefined();
  expect([...(await stores.doctors.findMany([id, other.id])).keys()]).toEqual([other.id]);
  expect(await stores.doctors.standingOf(id)).toEqual({});
  const start = { submittedAt: new Date(0), id: '' };
  const queued = await stores.doctors.queue('pending', start, 1_000, new Date());
  expect(queued.map(({ _id }) => _id)).not.toContain(id);
  expect(before && (await stores.doctors.decide(before, VERIFIED, false, A_NOTE))).toBeUndefined();
  const left = [{ kind: 'unfinished removal', id }];
  expect((await sweep.run({ dryRun: true })).removed).toEqual(left);
  expect(own.filter((file) => !imported.isThere(file))).toEqual([]);
  expect((await sweep.run()).removed).toEqual(left);
  await imported.expectNothingLeft(id, own);
  expect(imported.isThere(shared)).toBe(true);
});
