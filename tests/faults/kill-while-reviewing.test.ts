import path from 'node:path';
import type { DoctorProfile } from '../../src/stores/doctors.ts';
import { allFiles, letTwoHoursPass } from '../documents/support/aftermath.ts';
import { aPdf } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { type Authenticated, type RegisteredDoctor, succeeded } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { restApi } from '../support/rest-api.ts';
import { newRejectedDoctor, newReviewer, resubmit, sendDecision } from '../support/reviews.ts';
import { killedAt } from './support/killed-at.ts';

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

/** Lets an act kill a gateway at a moment. @returns the profile of its doctor before and after it */
async function diedAt(
  moment: string,
  act: (scene: Scene) => Promise<unknown>,
  prepare: (scene: Scene) => Promise<unknown> = async () => {},
) {
  const { profiles } = workshop.database;
  const { doctor, before } = await killedAt(
    { workshop, settings: {} },
    moment,
    async (url) => {
      const app = { url, database: workshop.database };
      const reviewer = await newReviewer(app);
      const scene = { url, reviewer, doctor: await newRejectedDoctor(app, reviewer) };
      await prepare(scene);
      return { ...scene, before: await profiles.findOne({ _id: scene.doctor.account.id }) };
    },
    (_, scene) => act(scene),
  );
  return { before, after: await profiles.findOne({ _id: doctor.account.id }) };
}

/** Lets a gateway sweep what is old, and expects that exactly the documents stay that a profile names. */
async function expectOnlyNamedDocuments(): Promise<void> {
  await letTwoHoursPass({ database: workshop.database, storageDir: storageDir() });
  const gateway = workshop.start({ LOG_LEVEL: 'debug' });
  await gateway.url();
  await eventually(() => expect(gateway.stdout).toMatch(/the sweep (removed|found|failed)/));
  await gateway.stop();
  const profiles = await workshop.database.profiles.find().toArray();
  const named = profiles.flatMap((profile) => [
    ...pathsOf(profile),
    ...(profile.resubmitted ? pathsOf(profile.resubmitted) : []),
  ]);
  expect(await allFiles(storageDir())).toEqual([...new Set(named)].toSorted());
}

const rejectDiploma = async ({ url, doctor, reviewer }: Scene) => {
  const { id } = doctor.account;
  const again = { id, decision: 'REJECT', reason: 'Blurred.', documents: ['DIPLOMA'] };
  await sendDecision({ url }, reviewer.token, { id, revision: 1, decision: 'APPROVE' });
  await sendDecision({ url }, reviewer.token, { ...again, revision: 2 });
};
const aNewDiploma = () => ({ diplomaFile: aPdf('diploma.pdf') });

test.each([
  { sent: 'all documents', moment: 'sent update doctor_profiles 1', kept: [false, false, false] },
  { sent: 'all documents', moment: 'answered update doctor_profiles 1', kept: [false, false, false] },
  { sent: 'the diploma', moment: 'sent update doctor_profiles 1', kept: [true, false, true] },
  { sent: 'the diploma', moment: 'answered update doctor_profiles 1', kept: [true, false, true] },
])('a gateway that dies at "$moment" leaves $sent that are sent again whole or not at all', async (row) => {
  const isOne = row.sent === 'the diploma';
  const { before, after } = await diedAt(
    row.moment,
    ({ url, doctor }) => resubmit({ url }, doctor.token, isOne ? aNewDiploma() : undefined),
    isOne ? rejectDiploma : undefined,
  );
  // The update may have reached the database in both cases, but only the answered one must have.
  if (row.moment.startsWith('answered') || after?.resubmitted) {
    const [old, sent] = [pathsOf(before as DoctorProfile), pathsOf(after?.resubmitted as DoctorProfile)];
    expect(sent).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
    expect(sent.map((stored, index) => stored === old[index])).toEqual(row.kept);
    expect(after).toMatchObject({ revision: isOne ? 4 : 2, verification: { status: 'pending' } });
    expect(pathsOf(after as DoctorProfile)).toEqual(old);
  } else {
    expect(after).toEqual(before);
  }
  await expectOnlyNamedDocuments();
});

test('a gateway that dies between the profile and the account leaves the rest of an approval to the next one', async () => {
  const { before, after } = await diedAt(
    'answered update doctor_profiles 1',
    ({ url, reviewer, doctor }) =>
      sendDecision({ url }, reviewer.token, { id: doctor.account.id, revision: 3, decision: 'APPROVE' }),
    async ({ url, doctor, reviewer }) => {
      const { id } = doctor.account;
      await sendDecision({ url }, reviewer.token, { id, revision: 1, decision: 'APPROVE' });
      const proposal = { name: 'Dr. Married', licenseNumber: 'MD-2' };
      succeeded(await restApi(url).updateMyProfile(proposal, `Bearer ${doctor.token}`));
    },
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
