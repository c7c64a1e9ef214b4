// Longer than most: one fault for each step of a registration, and each needs the same whole-or-nothing check behind it.
import { chmod, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  accountWith,
  allFiles,
  everythingIn,
  expectNothingAfterSweep,
  letTwoHoursPass,
  settingsOf,
  sweep,
} from '../documents/support/aftermath.ts';
import { makeSmallDisk, withoutPermission } from '../documents/support/faults.ts';
import { doctorParts, encode, openUpload } from '../documents/support/parts.ts';
import { throughEachApi } from '../support/apis.ts';
import { named } from '../support/database-messages.ts';
import { type DatabaseProxy, type Moment, startDatabaseProxy } from '../support/database-proxy.ts';
import { aPdf, aPdfOf } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, expectInvalid, refused, registeredDoctor } from '../support/expectations.ts';
import { send } from '../support/http.ts';
import { sendForm } from '../support/multipart.ts';
import { aDoctor, type Fields } from '../support/people.ts';
import {
  createTestApp,
  expectQuarantineEmpty,
  REAL_TIME,
  storedDocuments,
  type TestApp,
  useTestApp,
} from '../support/test-app.ts';
import { type KillableGateway, startGateway } from './support/killable-gateway.ts';

// src/auth/registration.ts, under faults that are real: afterwards the whole
// registration exists or nothing that a caller can see, and after the sweep nothing at all.
const app = useTestApp({}, undefined, ...REAL_TIME);

const beforeInsert = (collection: string): Moment => ({
  command: named(`insert ${collection}`),
  when: 'before',
});
const afterInsert = (collection: string): Moment => ({
  command: named(`insert ${collection}`),
  when: 'after',
});

throughEachApi((apiOf) => {
  describe('without permission to write', () => {
    test.each(['.quarantine', 'licenses', 'diplomas', 'certifications'])(
      'a registration without permission to write in %s leaves nothing behind',
      async (folder) => {
        // For the folders around it, so that it is this one alone that fails.
        for (const open of ['', '.quarantine', 'licenses', 'diplomas', 'certifications']) {
          await chmod(path.join(app.storageDir, open), 0o777);
        }
        const before = await everythingIn(app);
        const doctor = aDoctor();
        const outcome = await withoutPermission(path.join(app.storageDir, folder), async () => {
          const answer = await apiOf(app.url).registerDoctor(doctor);
          await eventually(async () => expect(await allFiles(app.storageDir)).toEqual(before.files));
          return answer;
        });
        refused(outcome, 'unexpected');
        await expectNothingAfterSweep(app, doctor.email, before);
        registeredDoctor(await apiOf(app.url).registerDoctor(doctor));
      },
    );
  });

  test('a registration without the quarantine folder fails, and the next one after its repair succeeds', async () => {
    const quarantine = path.join(app.storageDir, '.quarantine');
    await rm(quarantine, { recursive: true });
    const outcome = await apiOf(app.url).registerDoctor(aDoctor());
    await mkdir(quarantine);
    refused(outcome, 'unexpected');
    registeredDoctor(await apiOf(app.url).registerDoctor(aDoctor()));
  });

  describe('with a full disk', () => {
    test('a full disk refuses a registration until there is space, and keeps nothing of it', async () => {
      const disk = await makeSmallDisk();
      const storage = { database: app.database, storageDir: disk.storageDir };
      const gateway = await startGateway(settingsOf(storage), disk.shell);
      try {
        const api = apiOf(gateway.url);
        const before = await everythingIn(storage);
        const doctor = aDoctor({ licenseFile: aPdfOf(25_000), diplomaFile: aPdfOf(45_000) });
        const refusal = refused(await api.registerDoctor(doctor), 'unavailable');
        expect(refusal.http.headers.get('retry-after')).toBe('2');
        await expectQuarantineEmpty(disk.storageDir);
        await expectNothingAfterSweep(storage, doctor.email, before);
        registeredDoctor(await api.registerDoctor({ ...doctor, diplomaFile: aPdf() }));
      } finally {
        await gateway.kill();
        await disk.remove();
      }
    });
  });

  describe('with a database that goes away', () => {
    let proxy: DatabaseProxy;
    let behind: TestApp;
    beforeAll(async () => {
      proxy = await startDatabaseProxy();
      behind = await createTestApp({}, proxy.through, ...REAL_TIME);
    });
    afterAll(async () => {
      await proxy.restore();
      await behind.stop();
      await proxy.stop();
    });

    /** After a fault, the first connection may still be a broken one. */
    const registerOnceItWorks = (doctor: Fields) =>
      eventually(async () => registeredDoctor(await apiOf(behind.url).registerDoctor(doctor)));

    test.each(['doctor_profiles', 'access_tokens', 'accounts'])(
      'a connection cut before the insert into %s leaves nothing behind',
      async (collection) => {
        const before = await everythingIn(behind);
        const doctor = aDoctor();
        const broken = proxy.breakAt(beforeInsert(collection), 'cut');
        refused(await apiOf(behind.url).registerDoctor(doctor), 'unavailable');
        await broken;
        await expectQuarantineEmpty(behind.storageDir);
        await expectNothingAfterSweep(behind, doctor.email, before);
        await registerOnceItWorks(doctor);
      },
    );

    test.each(['doctor_profiles', 'access_tokens', 'accounts'])(
      'a database that goes away at the insert into %s leaves nothing behind',
      async (collection) => {
        const before = await everythingIn(behind);
        const doctor = aDoctor();
        const broken = proxy.breakAt(beforeInsert(collection), 'cut all');
        refused(await apiOf(behind.url).registerDoctor(doctor), 'unavailable');
        await broken;
        refused(await apiOf(behind.url).registerDoctor(aDoctor()), 'unavailable');
        await expectQuarantineEmpty(behind.storageDir);
        await proxy.restore();
        await expectNothingAfterSweep(behind, doctor.email, before);
        await registerOnceItWorks(doctor);
      },
    );

    test.each(['doctor_profiles', 'access_tokens'])(
      'a connection cut after the insert into %s leaves nothing behind',
      async (collection) => {
        const before = await everythingIn(behind);
        const doctor = aDoctor();
        const broken = proxy.breakAt(afterInsert(collection), 'cut');
        refused(await apiOf(behind.url).registerDoctor(doctor), 'unavailable');
        await broken;
        await expectNothingAfterSweep(behind, doctor.email, before);
        await registerOnceItWorks(doctor);
      },
    );

    test('a connection cut after the insert into accounts leaves the whole registration', async () => {
      const before = await storedDocuments(behind);
      const doctor = aDoctor();
      const broken = proxy.breakAt(afterInsert('accounts'), 'cut');
      refused(await apiOf(behind.url).registerDoctor(doctor), 'unavailable');
      await broken;
      await letTwoHoursPass(behind);
      await sweep(behind);
      const login = () => apiOf(behind.url).login(doctor);
      await eventually(async () => authenticated(await login()));
      expect(await storedDocuments(behind)).toHaveLength(before.length + 3);
      const account = await accountWith(behind.database, doctor.email);
      const profile = await behind.database.profiles.findOne({ _id: account?._id ?? '' });
      expect((await send(`${behind.url}/storage/${profile?.licenseFilePath}`)).bytes).toEqual(
        doctor.licenseFile.bytes,
      );
    });
  });

  test('simultaneous registrations with one e-mail leave one whole and nothing of the others', async () => {
    const before = await everythingIn(app);
    const { email } = aDoctor();
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => apiOf(app.url).registerDoctor(aDoctor({ email: email.toUpperCase() }))),
    );
    const [loser] = outcomes.filter(({ ok }) => !ok);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expectInvalid(
      loser ??
        (() => {
          throw new Error('nobody lost');
        })(),
      { email: ['The email has already been taken.'] },
    );
    await expectQuarantineEmpty(app.storageDir);
    const after = await everythingIn(app);
    expect(after).toMatchObject({
      accounts: before.accounts + 1,
      profiles: before.profiles + 1,
      tokens: before.tokens + 1,
    });
    expect(after.documents).toHaveLength(before.documents.length + 3);
    await letTwoHoursPass(app);
    expect(await sweep(app)).toEqual([]);
  });

  describe('when the process is killed', () => {
    let storage: TestApp;
    let proxy: DatabaseProxy;
    let gateway: KillableGateway;
    beforeEach(async () => {
      // Nothing uses it but for its database and its folder.
      storage = await createTestApp({}, undefined, ...REAL_TIME);
      proxy = await startDatabaseProxy();
      const MONGODB_URI = proxy.through(storage.database.uri);
      gateway = await startGateway({ ...settingsOf(storage), MONGODB_URI });
    });
    afterEach(async () => {
      await gateway.kill();
      await proxy.stop();
      await storage.stop();
    });

    const expectNothingAfterRestart = async (
      email: string,
      before: Awaited<ReturnType<typeof everythingIn>>,
    ) => {
      expect(await accountWith(storage.database, email)).toBeNull();
      await letTwoHoursPass(storage);
      gateway = await startGateway(settingsOf(storage));
      await eventually(async () => expect(await everythingIn(storage)).toEqual(before));
    };

    test('a start removes what a kill in the middle of a body has left', async () => {
      const before = await everythingIn(storage);
      const doctor = aDoctor({ diplomaFile: aPdfOf(100_000) });
      const api = apiOf(gateway.url);
      const body = encode(await doctorParts(api, doctor));
      const req = openUpload(gateway.url, api, body.length);
      req.write(body.subarray(0, 90_000));
      await eventually(async () => expect(await allFiles(storage.storageDir)).toHaveLength(2));
      await gateway.kill();
      await expectNothingAfterRestart(doctor.email, before);
    });

    test.each(['doctor_profiles', 'access_tokens', 'accounts'])(
      'a start removes what a kill before the insert into %s has left',
      async (collection) => {
        const before = await everythingIn(storage);
        const doctor = aDoctor();
        const frozen = proxy.breakAt(beforeInsert(collection), 'freeze');
        const request = apiOf(gateway.url).doctorRequest(doctor);
        const registering = sendForm(gateway.url, request).catch(() => 'cut off');
        await Promise.race([frozen, registering]);
        await gateway.kill();
        expect(await registering).toBe('cut off');
        expect((await everythingIn(storage)).documents).toHaveLength(before.documents.length + 3);
        await expectNothingAfterRestart(doctor.email, before);
      },
      60_000,
    );
  });
});
