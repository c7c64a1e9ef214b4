import { chmod, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { allFiles, everythingIn, expectNothingAfterSweep } from '../documents/support/aftermath.ts';
import { withoutPermission } from '../documents/support/faults.ts';
import { throughEachApi } from '../support/apis.ts';
import { named } from '../support/database-messages.ts';
import { type Fault, type Moment, useProxiedApp } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { refused, registeredDoctor } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aDoctor } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { expectQuarantineEmpty, REAL_TIME, useTestApp } from '../support/test-app.ts';

// src/auth/registration.ts, under faults that are real: afterwards the whole registration exists or nothing that a caller can see,
// and after the sweep nothing at all. Kills are in tests/instances/killed.test.ts, full disks in full-storage.test.ts.
const app = useTestApp({}, undefined, ...REAL_TIME);
const behind = useProxiedApp({}, ...REAL_TIME);

test.each([
  ['.quarantine', restApi],
  ['licenses', graphqlApi],
  ['diplomas', restApi],
  ['certifications', graphqlApi],
])('a registration without permission to write in %s leaves nothing behind', async (folder, apiOf) => {
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
});

throughEachApi((apiOf) => {
  test('a registration without the quarantine folder fails, and the next one after its repair succeeds', async () => {
    const quarantine = path.join(app.storageDir, '.quarantine');
    await rm(quarantine, { recursive: true });
    const outcome = await apiOf(app.url).registerDoctor(aDoctor());
    await mkdir(quarantine);
    refused(outcome, 'unexpected');
    registeredDoctor(await apiOf(app.url).registerDoctor(aDoctor()));
  });
});

// database-mid-request.test.ts loses the database after the insert into accounts, which makes the registration whole.
test.each<[fault: Fault, when: Moment['when'], collection: string, apiOf: typeof restApi]>([
  ['cut', 'before', 'doctor_profiles', restApi],
  ['cut', 'before', 'access_tokens', graphqlApi],
  ['cut', 'before', 'accounts', restApi],
  ['cut all', 'before', 'doctor_profiles', graphqlApi],
  ['cut all', 'before', 'access_tokens', restApi],
  ['cut all', 'before', 'accounts', graphqlApi],
  ['cut', 'after', 'doctor_profiles', restApi],
  ['cut', 'after', 'access_tokens', graphqlApi],
])(
  'a database that is lost (%s) %s the insert into %s leaves nothing',
  async (fault, when, collection, apiOf) => {
    const before = await everythingIn(behind.app);
    const doctor = aDoctor();
    const broken = behind.proxy.breakAt({ command: named(`insert ${collection}`), when }, fault);
    refused(await apiOf(behind.app.url).registerDoctor(doctor), 'unavailable');
    await broken;
    await expectQuarantineEmpty(behind.app.storageDir);
    await behind.proxy.restore();
    await expectNothingAfterSweep(behind.app, doctor.email, before);
    // The first connection may still be a broken one.
    await eventually(async () => registeredDoctor(await apiOf(behind.app.url).registerDoctor(doctor)));
  },
);
