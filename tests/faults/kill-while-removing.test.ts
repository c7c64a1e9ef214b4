import { readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AccountData } from '../../src/auth/account-data.ts';
import { AuditTrail } from '../../src/auth/audit/audit-trail.ts';
import { OwnerNotices } from '../../src/auth/owner-notices.ts';
import { Erasure } from '../../src/auth/privacy/erasure.ts';
import { Reviews } from '../../src/auth/reviews/reviews.ts';
import { noOutbox } from '../../src/mail/outbox.ts';
import { createLog } from '../../src/system/log.ts';
import { allFiles } from '../documents/support/aftermath.ts';
import { DOCUMENTS, ImportedDoctors } from '../documents/support/imported-doctors.ts';
import { KillSwitch } from '../support/kill-switch.ts';
import { auditEvents, openEraser } from '../support/privacy.ts';
import { testClock, useTestApp } from '../support/test-app.ts';

// src/stores/doctor-files.ts: no visible profile names a missing document, and after a kill at any step the next
// run finds what is left. tests/legacy/services/removals.test.ts has the commands of a move.

const app = useTestApp();
const ACTOR = { channel: 'admin', ip: '', requestId: 'r', userAgent: undefined } as const;

type Opened = Awaited<ReturnType<typeof openEraser>>;

/** The process that is killed, and the next one. */
let [victim, next] = [{} as Opened, {} as Opened];
let killing: KillSwitch;
let imported: ImportedDoctors;
beforeAll(async () => {
  imported = new ImportedDoctors(app);
  [victim, next] = [await openEraser(app, testClock), await openEraser(app, testClock)];
  killing = new KillSwitch(victim.storage);
});
afterAll(async () => {
  await killing.end();
  await Promise.all([victim.close(), next.close()]);
});

/** Runs a scene for each step of the work before which it can be killed, and once to its end. */
async function atEachStep(scene: (kill: (work: () => Promise<unknown>) => Promise<void>) => Promise<void>) {
  let steps = 0;
  for (let isKilled = true; isKilled; steps += 1) {
    await scene(async (work) => {
      isKilled = await killing.kills(steps, work);
    });
  }
  // The scene has not ended before the interesting steps.
  expect(steps).toBeGreaterThan(10);
}

/** A token, a reset token, a mail and an event of an account, of which an erasure leaves only the event. */
async function addTraces(accountId: string): Promise<void> {
  const { tokens, db } = app.database;
  await tokens.insertOne({ _id: `token ${accountId}`, accountId } as never);
  await db.collection('reset_tokens').insertOne({ accountId });
  await db.collection('outgoing_mails').insertOne({ order: { to: { accountId } } });
  await auditEvents(app).insertOne({
    ...{ _id: `event ${accountId}`, at: new Date(testClock.now()), act: 'registration', outcome: 'success' },
    ...{
      accountId,
      emailDigest: 'digest',
      ip: '192.0.2.1',
      userAgent: 'a browser',
      door: 'rest',
      reason: null,
    },
    ...{ byAccountId: null, tokenId: null, revoked: null, operator: null, systemUser: null, service: null },
    ...{ requestId: 'r', count: null, lastAt: null, expiresAt: null },
  } as never);
}

async function expectNoTraces(accountId: string): Promise<void> {
  const { tokens, db } = app.database;
  expect(await tokens.countDocuments({ accountId })).toBe(0);
  expect(await db.collection('reset_tokens').countDocuments()).toBe(0);
  expect(await db.collection('outgoing_mails').countDocuments()).toBe(0);
  const events = await auditEvents(app).find({ accountId }).toArray();
  expect(events.map(({ act }) => act).sort()).toEqual(['erasure', 'registration']);
  expect(events.filter((event) => event.emailDigest || event.ip || event.userAgent)).toEqual([]);
}

/** The parts that write events, of a new process: that of a killed one waits to write what it could not. */
function newProcess() {
  const { storage } = victim;
  const log = createLog('silent');
  const { stores, documents } = storage;
  const { auditEvents } = stores;
  const audit = new AuditTrail({ auditEvents, auditRetentionMillis: undefined, clock: testClock, log });
  const accountData = new AccountData(stores, log);
  const erasure = new Erasure({ stores, accountData, documents, audit, clock: testClock, log });
  return { audit, log, erasure };
}

const expectNoMissingDocument = (...ids: string[]) =>
  imported.expectNoMissingDocument(next.storage.stores.doctors, ...ids);
const expectWhole = (id: string) => imported.expectWhole(next.storage.stores.doctors, id);

test('an imported profile that a killed sweep has left goes to the trash whole with the next one', () =>
  atEachStep(async (kill) => {
    const { id, own, shared, other } = await imported.importTwo();
    const remember = await imported.forgetAccount(id);
    await kill(() => victim.storage.sweep.run());
    await expectNoMissingDocument(id, other.id);
    await next.storage.sweep.run();
    expect(await app.database.profiles.findOne({ _id: id })).toBeNull();
    expect(own.filter((file) => imported.isThere(file) || !imported.isInTrash(file))).toEqual([]);
    expect(imported.isThere(shared)).toBe(true);
    await remember();
    await next.storage.sweep.run();
    await expectWhole(id);
    expect(own.filter((file) => imported.isInTrash(file))).toEqual([]);
  }));

test('a profile whose account comes back after a killed sweep is whole after the next one', () =>
  atEachStep(async (kill) => {
    const { id, other } = await imported.importTwo();
    const remember = await imported.forgetAccount(id);
    await kill(() => victim.storage.sweep.run());
    await remember();
    await expectNoMissingDocument(id, other.id);
    await next.storage.sweep.run();
    await expectWhole(id);
  }));

test('a profile that a killed sweep was bringing back is whole or not visible, and goes whole again', () =>
  atEachStep(async (kill) => {
    const { id, own } = await imported.importTwo();
    const remember = await imported.forgetAccount(id);
    await next.storage.sweep.run();
    await remember();
    await kill(() => victim.storage.sweep.run());
    await expectNoMissingDocument(id);
    await imported.forgetAccount(id);
    await next.storage.sweep.run();
    expect(own.filter((file) => imported.isThere(file) || !imported.isInTrash(file))).toEqual([]);
  }));

test.each([
  ['a profile', false],
  ['a profile in the trash', true],
])('the erasure of %s that is killed is completed by the next run', (_, isSwept) =>
  atEachStep(async (kill) => {
    const { id, own, shared, other } = await imported.importTwo();
    if (isSwept) {
      const remember = await imported.forgetAccount(id);
      await next.storage.sweep.run();
      await remember();
    }
    await addTraces(id);
    const { erasure } = newProcess();
    await kill(() => erasure.eraseNow(id, ACTOR));
    await expectNoMissingDocument(id, other.id);
    const account = await app.database.accounts.findOne({ _id: id });
    await (account && !account.erasingSince ? next.erasure.eraseNow(id, ACTOR) : next.erasure.run());
    expect(await app.database.accounts.findOne({ _id: id })).toBeNull();
    await imported.expectNothingLeft(id, own);
    await expectNoTraces(id);
    expect(imported.isThere(shared)).toBe(true);
    await expectWhole(other.id);
  }),
);

test('documents that a killed decision has replaced are removed by the next sweep', () =>
  atEachStep(async (kill) => {
    const { id, own, shared, other } = await imported.importTwo();
    const resubmitted = {
      licenseFilePath: await imported.aFile('licenses'),
      diplomaFilePath: await imported.aFile('diplomas'),
      certificationFilePath: await imported.aFile('certifications'),
    };
    await app.database.profiles.updateOne({ _id: id }, { $set: { resubmitted, revision: 2 } });
    const { stores, documents } = victim.storage;
    const { audit, log } = newProcess();
    const reviews = new Reviews({
      licenseRules: [],
      accounts: stores.accounts,
      doctors: stores.doctors,
      documents,
      audit,
      notices: new OwnerNotices(noOutbox, testClock, log),
      timeZone: 'UTC',
      verificationDays: undefined,
      clock: testClock,
      log,
    });
    const review = { id, revision: 2, decision: 'approve', reason: null } as const;
    await kill(async () => (await reviews.decide(review, ACTOR)).written);
    await expectWhole(id);
    await expectWhole(other.id);
    const isDecided = (await next.storage.stores.doctors.find(id))?.revision === 3;
    await next.storage.sweep.run();
    await expectWhole(id);
    expect(own.filter((file) => imported.isThere(file) === isDecided)).toEqual([]);
    expect(imported.isThere(shared)).toBe(true);
    expect((await app.database.profiles.findOne({ _id: id }))?.replaced).toBeUndefined();
  }));

test('sweeps of two instances at once remove everything once, and none fails', async () => {
  const quarantine = path.join(app.storageDir, '.quarantine');
  const past = new Date(Date.now() - 7_200_000);
  for (let upload = 0; upload < 50; upload += 1) {
    await writeFile(path.join(quarantine, `upload ${upload}`), '');
    await utimes(path.join(quarantine, `upload ${upload}`), past, past);
  }
  const { id, own, other } = await imported.importTwo();
  await imported.forgetAccount(id);
  const another = await openEraser(app, testClock);
  const sweeps = [another.storage.sweep.run(), next.storage.sweep.run()];
  await Promise.all(sweeps).finally(another.close);
  expect(await readdir(quarantine)).toEqual([]);
  expect(await app.database.profiles.findOne({ _id: id })).toBeNull();
  expect(own.filter((file) => imported.isThere(file))).toEqual([]);
  await expectWhole(other.id);
});

test('after all of it, no document is left that no profile names', async () => {
  await next.storage.sweep.run();
  const profiles = await app.database.profiles.find().toArray();
  const named = profiles.flatMap((profile) => [
    ...DOCUMENTS.map((field) => profile[field]),
    ...Object.values(profile.resubmitted ?? {}),
  ]);
  const files = await allFiles(app.storageDir);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !named.includes(file))).toEqual([]);
});
