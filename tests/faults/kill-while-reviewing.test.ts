import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DoctorProfile } from '../../src/stores/doctors.ts';
import { allFiles, letTwoHoursPass } from '../documents/support/aftermath.ts';
import { aPdf } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import type { Authenticated, RegisteredDoctor } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { restApi } from '../support/rest-api.ts';
import { newRejectedDoctor, newReviewer, resubmit, sendDecision } from '../support/reviews.ts';

const PRELOAD = pathToFileURL(path.resolve('tests/faults/support/kill-preload.mjs')).href;
const workshop = useWorkshop();
const storageDir = () => path.join(workshop.folder, 'storage');

interface Scene {
  url: string;
  doctor: RegisteredDoctor;
  reviewer: Authenticated;
}

const pathsOf = (
  profile: Pick<DoctorProfile, 'licenseFilePath' | 'diplomaFilePath' | 'certificationFilePath'>,
) => [profile.licenseFilePath, profile.diplomaFilePath, profile.certificationFilePath];

/** Runs acts at a gateway that kills itself at a moment (support/kill-preload.mjs), from the last act on. */
async function killedAt(
  moment: string,
  prepare: (scene: Scene) => Promise<unknown>,
  act: (scene: Scene) => Promise<unknown>,
) {
  const victim = workshop.start({
    NODE_OPTIONS: `--import ${PRELOAD}`,
    TEST_KILL_AT: moment,
    LOG_LEVEL: 'warn',
  });
  const url = await victim.url();
  const app = { url, database: workshop.database };
  const reviewer = await newReviewer(app);
  const scene = { url, reviewer, doctor: await newRejectedDoctor(app, reviewer) };
  await prepare(scene);
  const before = await workshop.database.profiles.findOne({ _id: scene.doctor.account.id });
  victim.signal('SIGUSR2');
  await expect(act(scene)).rejects.toThrow();
  await victim.exitCode();
  const after = await workshop.database.profiles.findOne({ _id: scene.doctor.account.id });
  return { before, after };
}

/** Lets a gateway sweep what is old, and expects that exactly the documents stay that a profile names. */
async function expectOnlyNamedDocuments(): Promise<void> {
  await letTwoHoursPass({ database: workshop.database, storageDir: storageDir() });
  const gateway = workshop.start({ LOG_LEVEL: 'debug' });
  await gateway.url();
  await eventually(() => expect(gateway.stdout).toMatch(/the sweep (removed|found|failed)/));
  gateway.signal('SIGTERM');
  await gateway.exitCode();
  const profiles = await workshop.database.profiles.find().toArray();
  const named = profiles.flatMap((profile) => [
    ...pathsOf(profile),
    ...(profile.resubmitted ? pathsOf(profile.resubmitted) : []),
  ]);
  expect(await allFiles(storageDir())).toEqual([...new Set(named)].toSorted());
}

test.each([
  ['before the profile is changed', 'sent update doctor_profiles 1'],
  ['after the profile was changed', 'answered update doctor_profiles 1'],
])('a gateway that dies %s leaves a resubmission whole or not at all', async (_when, moment) => {
  const { before, after } = await killedAt(
    moment,
    async () => {},
    ({ url, doctor }) => resubmit({ url }, doctor.token),
  );
  // The update may have reached the database in both cases, but only the answered one must have.
  if (moment.startsWith('answered') || after?.resubmitted) {
    expect(after).toMatchObject({ revision: 2, verification: { status: 'pending' } });
    expect(pathsOf(after?.resubmitted ?? ({} as never))).not.toContain(undefined);
  } else {
    expect(after).toEqual(before);
  }
  expect(pathsOf(after ?? ({} as never))).toEqual(pathsOf(before ?? ({} as never)));
  await expectOnlyNamedDocuments();
});

test.each(['sent update doctor_profiles 1', 'answered update doctor_profiles 1'])(
  'a gateway that dies at %s leaves one document that is sent again whole or not at all',
  async (moment) => {
    const { before, after } = await killedAt(
      moment,
      async ({ url, doctor, reviewer }) => {
        const { id } = doctor.account;
        const again = { id, decision: 'REJECT', reason: 'Blurred.', documents: ['DIPLOMA'] };
        await sendDecision({ url }, reviewer.token, { id, revision: 1, decision: 'APPROVE' });
        await sendDecision({ url }, reviewer.token, { ...again, revision: 2 });
      },
      ({ url, doctor }) => resubmit({ url }, doctor.token, { diplomaFile: aPdf('diploma.pdf') }),
    );
    if (moment.startsWith('answered') || after?.resubmitted) {
      const [old, sent] = [pathsOf(before as DoctorProfile), pathsOf(after?.resubmitted as DoctorProfile)];
      expect(sent.map((stored, index) => stored === old[index])).toEqual([true, false, true]);
    } else {
      expect(after).toEqual(before);
    }
    await expectOnlyNamedDocuments();
  },
);

test('a gateway that dies after a decision leaves replaced documents to the sweep', async () => {
  const { before, after } = await killedAt(
    'answered update doctor_profiles 1',
    ({ url, doctor }) => resubmit({ url }, doctor.token),
    ({ url, reviewer, doctor }) =>
      sendDecision({ url }, reviewer.token, { id: doctor.account.id, revision: 2, decision: 'APPROVE' }),
  );
  expect(after).toMatchObject({ ...before?.resubmitted, revision: 3, verification: { status: 'verified' } });
  expect(after).not.toHaveProperty('resubmitted');
  expect(await allFiles(storageDir())).toEqual(expect.arrayContaining(pathsOf(before ?? ({} as never))));
  await expectOnlyNamedDocuments();
});

test('a gateway that dies between the profile and the account leaves the rest of an approval to the next one', async () => {
  const { before, after } = await killedAt(
    'answered update doctor_profiles 1',
    async ({ url, doctor, reviewer }) => {
      const { id } = doctor.account;
      await sendDecision({ url }, reviewer.token, { id, revision: 1, decision: 'APPROVE' });
      const proposal = { name: 'Dr. Married', licenseNumber: 'MD-2' };
      expect(await restApi(url).updateMyProfile(proposal, `Bearer ${doctor.token}`)).toMatchObject({
        ok: true,
      });
    },
    ({ url, reviewer, doctor }) =>
      sendDecision({ url }, reviewer.token, { id: doctor.account.id, revision: 3, decision: 'APPROVE' }),
  );
  const fields = { name: before?.proposal?.name };
  expect(after).toMatchObject({ licenseNumber: 'MD-2', revision: 4, accountChange: { fields } });
  const nameOf = async () => (await workshop.database.accounts.findOne({ _id: after?._id ?? '' }))?.name;
  expect(await nameOf()).toBe('Dr. Doc Tor');
  await expectOnlyNamedDocuments();
  expect(await nameOf()).toBe('Dr. Married');
  const swept = await workshop.database.profiles.findOne({ _id: after?._id ?? '' });
  expect(swept).not.toHaveProperty('accountChange');
});
