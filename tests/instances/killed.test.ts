import { allFiles, everythingIn, letTwoHoursPass } from '../documents/support/aftermath.ts';
import type { Api } from '../support/apis.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { expectWhole } from '../support/whole-account.ts';
import {
  beginUploads,
  type CutShort,
  FILES_BEGUN,
  freezeEverywhere,
  LEFT_BEHIND,
} from './support/cut-short.ts';
import { expectNoOrphans, stopWithoutWarnings, storageOf, useInstances } from './support/instances.ts';

/** Under load, far more than it takes. */
const SWEEP_PATIENCE_MILLIS = 60_000;
const SETTINGS = { RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000' };
const instances = useInstances(async () => SETTINGS);
const storage = () => storageOf(instances);

/** Kills a third instance in the middle of registrations at all their steps, and gives those. */
async function killInTheMiddle(): Promise<CutShort[]> {
  const { workshop } = instances;
  const proxy = await startDatabaseProxy(workshop.database.uri);
  const victim = workshop.start({ ...SETTINGS, MONGODB_URI: proxy.through(workshop.database.uri) });
  const url = await victim.url();
  const { files, ...before } = await everythingIn(storage());

  let begun: CutShort[];
  let frozen: CutShort[];
  try {
    begun = await beginUploads(url);
    await eventually(async () =>
      expect((await everythingIn(storage())).files).toHaveLength(files.length + FILES_BEGUN),
    );
    frozen = await freezeEverywhere(proxy, url);
  } finally {
    await victim.kill();
    await proxy.stop();
  }

  // They have come as far as they were to come, no further and no less far.
  const after = await everythingIn(storage());
  expect(after).toMatchObject({
    accounts: before.accounts + LEFT_BEHIND.accounts,
    profiles: before.profiles + LEFT_BEHIND.profiles,
    tokens: before.tokens + LEFT_BEHIND.tokens,
  });
  expect(after.documents.length).toBeGreaterThan(before.documents.length);
  return [...begun, ...frozen];
}

/** Checks that nobody can see anything of a registration, and that the e-mail is as free as ever. */
async function expectInvisible(
  { person: { email, password }, documents }: CutShort,
  api: Api,
): Promise<void> {
  refused(await api.login({ email, password }), 'credentials');
  const doctor = aDoctor({ email });
  const again = documents
    ? { person: doctor, documents: doctor }
    : { person: aPatient({ email }), documents };
  const outcome = documents ? await api.registerDoctor(doctor) : await api.registerPatient(again.person);
  await expectWhole(again, instances.b, authenticated(outcome).token);
  refused(await api.login({ email, password }), 'credentials');
}

async function expectQuarantineNotServed(): Promise<void> {
  const files = await allFiles(storage().storageDir);
  for (const file of files.filter((file) => file.startsWith('.quarantine'))) {
    expect((await sendRaw(instances.b, { path: `/storage/${file}` })).status).toBe(404);
  }
}

test('an instance killed in the middle of registrations leaves nothing visible, and another one removes the rest', async () => {
  const { a, b, workshop } = instances;
  const cutShort = await killInTheMiddle();
  for (const registration of cutShort.filter(({ isCommitted }) => isCommitted)) {
    const { token } = authenticated(await graphqlApi(a).login(registration.person));
    await expectWhole(registration, b, token);
  }
  for (const registration of cutShort.filter(({ isCommitted }) => !isCommitted)) {
    await expectInvisible(registration, restApi(a));
  }
  await expectQuarantineNotServed();

  await letTwoHoursPass(storage());
  const sweeper = workshop.start(SETTINGS);
  await sweeper.url();
  await eventually(() => expectNoOrphans(storage()), SWEEP_PATIENCE_MILLIS);
  await stopWithoutWarnings(sweeper);
}, 180_000);
