import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeDeleted } from '../../src/legacy/commands/finish.ts';
import { PROFILES } from '../../src/legacy/records/profile-kind.ts';
import type { Round, Work } from '../../src/legacy/sync/round.ts';
import { changeRecords } from '../../src/legacy/sync/store-rows.ts';
import type { DoctorProfile } from '../../src/stores/doctors.ts';
import { ImportedDoctors } from '../documents/support/imported-doctors.ts';
import { A_NOTE } from '../support/event-note.ts';
import { closeErasers, openEraser } from '../support/privacy.ts';
import { testClock, useTestApp } from '../support/test-app.ts';

// src/stores/doctor-files.ts: the mover beside a reviewer and beside a removal.

const app = useTestApp();

let imported: ImportedDoctors;
let opened: Awaited<ReturnType<typeof openEraser>>;
beforeEach(async () => {
  imported = new ImportedDoctors(app);
  opened = await openEraser(app, testClock);
});
afterEach(closeErasers);

const VERIFIED = { status: 'verified', decidedAt: null, reason: null, submittedAt: new Date() } as const;

test('of two profiles that a legacy service has deleted, the one that a reviewer decides about meanwhile stays', async () => {
  const { stores, documents } = opened.storage;
  const { id, own, shared, other } = await imported.importTwo();
  const unchanged = [...(await stores.doctors.findMany([id, other.id])).values()];
  const decided = unchanged.find(({ _id }) => _id === other.id);
  expect(decided && (await stores.doctors.decide(decided, VERIFIED, false, A_NOTE))).toBeDefined();
  expect(await removeDeleted({ stores, documents }, { unchanged, changed: [] })).toEqual({
    removed: [id],
    kept: [other.id],
  });
  await imported.expectNothingLeft(id, own);
  await imported.expectWhole(stores.doctors, other.id);
  expect(imported.isThere(shared)).toBe(true);
});

/** A round of sync whose legacy service has given this doctor another license. */
async function syncNewLicense(before: DoctorProfile, licenseFilePath: string): Promise<void> {
  const { stores, documents } = opened.storage;
  const filesDir = path.join(app.storageDir, 'legacy files');
  await mkdir(path.dirname(path.join(filesDir, licenseFilePath)), { recursive: true });
  await writeFile(path.join(filesDir, licenseFilePath), 'new');
  const changes = { profiles: { changed: 0 } };
  const batch = { pending: new Map(), recorded: new Map(), save: async () => {} };
  const change = { row: { key: before._id }, before, after: { ...before, licenseFilePath }, digest: 'new' };
  await changeRecords(
    { context: { stores, documents, filesDir, observer: { found: () => {} } }, changes } as never as Round,
    { kind: PROFILES, batch, changes: [change] } as never as Work,
  );
}

test.each([
  ['before a sync reads the profile', true],
  ['after a sync has read the profile', false],
])('a removal that begins %s leaves no document that the sync copies', async (_, isMarkedBefore) => {
  const { stores, documents } = opened.storage;
  const { id, own } = await imported.importTwo();
  const license = `doctor_profiles/licenses/new license ${id}.pdf`;
  const mark = () => app.database.profiles.updateOne({ _id: id }, { $set: { removal: 'final' } });
  const marked = isMarkedBefore && (await mark());
  const before = await app.database.profiles.findOne({ _id: id });
  await (marked || mark());
  // The remover has read the profile by now.
  await syncNewLicense(before as DoctorProfile, license);
  const left = await app.database.profiles.findOne({ _id: id });
  await stores.doctors.finishRemoval(id, documents);
  expect(left).toMatchObject({ licenseFilePath: own[0] });
  await imported.expectNothingLeft(id, [...own, license]);
});
