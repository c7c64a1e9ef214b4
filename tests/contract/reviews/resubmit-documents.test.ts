import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { jest } from '@jest/globals';
import { LocalDocumentStore } from '../../../src/documents/local-document-store.ts';
import { letTwoHoursPass, sweep } from '../../documents/support/aftermath.ts';
import { aPdf, CONTENT } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { type Authenticated, authenticated, type RegisteredDoctor } from '../../support/expectations.ts';
import { graphqlApi, uploadRequest } from '../../support/graphql-api.ts';
import { answerBeforeFiles, sendForm } from '../../support/multipart.ts';
import { adminOf } from '../../support/operators.ts';
import { aPatient } from '../../support/people.ts';
import { trailOf } from '../../support/privacy.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  decide,
  doctorsOf,
  newDoctor,
  newDocuments,
  newRejectedDoctor,
  newReviewer,
  refusalOf,
  resubmit,
  resubmitRequest,
  sendDecision,
  statusesOf,
  urlsOf,
} from '../../support/reviews.ts';
import { accountOf, bearer } from '../../support/session.ts';
import {
  expectQuarantineEmpty,
  inventoryOf,
  storedDocuments,
  testClock,
  useTestApp,
} from '../../support/test-app.ts';

storesWrongRecords();

const LIMIT = 3;
const NOT_REJECTED = 'Documents can be submitted again only after a rejection.';

const app = useTestApp();
const LIMITS = { RATE_LIMIT: 'on', RATE_LIMIT_REGISTRATIONS_PER_MINUTE: String(LIMIT) };
const limited = useTestApp({ ...LIMITS, TRUST_PROXY: '1' });
let reviewer: Authenticated;
beforeAll(async () => {
  reviewer = await newReviewer(app);
});

const profileOf = (id: string) => app.database.profiles.findOne({ _id: id });

/** The doctor as a reviewer finds it, at the end of the queue. */
async function inQueue({ account: { id } }: RegisteredDoctor) {
  const { edges } = await doctorsOf(app, reviewer.token, { first: 100 });
  const last = edges.at(-1)?.node;
  expect(last?.account.id).toBe(id);
  return last;
}

/** Checks that a request is refused, and that all documents and records stay as they are. */
async function expectNothingChanged(act: () => Promise<void>): Promise<void> {
  const storedProfiles = () => app.database.profiles.find().sort({ _id: 1 }).toArray();
  const [before, profiles] = [await inventoryOf(app), await storedProfiles()];
  await act();
  await expectQuarantineEmpty(app.storageDir);
  expect(await inventoryOf(app)).toEqual(before);
  expect(await storedProfiles()).toEqual(profiles);
}

test('new documents stay beside the old ones until a decision, then replace them', async () => {
  const doctor = await newRejectedDoctor(app, reviewer);
  const { id } = doctor.account;
  await testClock.advance(1_000);
  const answer = await resubmit(app, doctor.token);
  const verification = { status: 'PENDING', reason: 'Not readable.' };
  expect(answer.data?.resubmitDocuments).toMatchObject({ ...doctor.profile, verification });
  const seen = await inQueue(doctor);
  expect(seen).toMatchObject({
    revision: 2,
    submittedAt: new Date(testClock.now()).toISOString(),
    profile: doctor.profile,
  });
  const [before, after] = [urlsOf(doctor.profile), urlsOf(seen?.newDocuments ?? {})];
  expect(await statusesOf([...before, ...after])).toEqual(Array(6).fill(200));
  const approved = await decide(app, reviewer.token, { id, revision: 2, decision: 'APPROVE' });
  expect(urlsOf(approved.profile)).toEqual(after);
  expect(approved.newDocuments).toBeNull();
  expect(await statusesOf(after)).toEqual(Array(3).fill(200));
  expect(await statusesOf(before)).toEqual(Array(3).fill(404));
  expect((await accountOf(app.url, doctor.token))?.profile).toMatchObject({
    licenseFileUrl: after[0],
    verification: { status: 'VERIFIED' },
  });
});

test('a rejection of new documents replaces the old ones, too, and documents can be submitted again', async () => {
  const doctor = await newRejectedDoctor(app, reviewer);
  const { id } = doctor.account;
  await resubmit(app, doctor.token);
  const second = urlsOf((await inQueue(doctor))?.newDocuments ?? {});
  await decide(app, reviewer.token, { id, revision: 2, decision: 'REJECT', reason: 'Still not.' });
  expect(await statusesOf(urlsOf(doctor.profile))).toEqual(Array(3).fill(404));
  const third = await resubmit(app, doctor.token);
  expect(urlsOf(third.data?.resubmitDocuments ?? {})).toEqual(second);
  expect(await profileOf(id)).toMatchObject({ revision: 4, verification: { status: 'pending' } });
});

describe('a rejection that names documents', () => {
  /** A doctor whose license and certification are asked for again. */
  async function askedForTwo() {
    const doctor = await newDoctor(app);
    const { id } = doctor.account;
    const named = ['CERTIFICATION', 'LICENSE', 'LICENSE'] as const;
    const { profile } = await decide(app, reviewer.token, {
      ...{ id, revision: 0, decision: 'REJECT', reason: 'Blurred.' },
      documents: [...named],
    });
    expect(profile.verification.documents).toEqual(['LICENSE', 'CERTIFICATION']);
    return doctor;
  }
  const { licenseFile, diplomaFile, certificationFile } = newDocuments();

  test('asks for these alone; the other one stays, whatever is decided then', async () => {
    for (const decision of ['APPROVE', 'REJECT'] as const) {
      const doctor = await askedForTwo();
      const { id } = doctor.account;
      expect((await accountOf(app.url, doctor.token))?.profile?.verification).toMatchObject({
        documents: ['LICENSE', 'CERTIFICATION'],
      });
      await testClock.advance(1_000);
      const answer = await resubmit(app, doctor.token, { licenseFile, certificationFile });
      expect(answer.data?.resubmitDocuments.verification).toMatchObject({
        status: 'PENDING',
        documents: ['LICENSE', 'CERTIFICATION'],
      });
      const [before, after] = [urlsOf(doctor.profile), urlsOf((await inQueue(doctor))?.newDocuments ?? {})];
      expect(after.map((url, index) => url === before[index])).toEqual([false, true, false]);
      const reason = decision === 'REJECT' ? 'Still blurred.' : null;
      const decided = await decide(app, reviewer.token, { id, revision: 2, decision, reason });
      expect(urlsOf(decided.profile)).toEqual(after);
      expect(decided.profile.verification.documents).toEqual(
        decision === 'REJECT' ? ['LICENSE', 'DIPLOMA', 'CERTIFICATION'] : [],
      );
      expect(await statusesOf(after)).toEqual([200, 200, 200]);
      expect(await statusesOf(before)).toEqual([404, 200, 404]);
    }
  });

  test('takes neither more nor less', async () => {
    const doctor = await askedForTwo();
    const noLicense = { licenseFile: ['The license file field is required.'] };
    const noCertification = { certificationFile: ['The certification file field is required.'] };
    const prohibited = { diplomaFile: ['The diploma file field is prohibited.'] };
    for (const [documents, errors] of [
      [{ licenseFile, diplomaFile, certificationFile }, prohibited],
      [{ licenseFile }, noCertification],
      [{ diplomaFile }, { ...noLicense, ...prohibited, ...noCertification }],
    ] as const) {
      const refusal = { data: null, code: 'BAD_USER_INPUT', errors };
      await expectNothingChanged(async () =>
        expect(refusalOf(await resubmit(app, doctor.token, documents))).toEqual(refusal),
      );
    }
  });

  test.each([[['PASSPORT', 7]], ['license'], [{}], [null]])(
    'with %j stored by another program asks for all three',
    async (documents) => {
      const { account, token } = await newRejectedDoctor(app, reviewer);
      const change = { $set: { 'verification.documents': documents as never } };
      await app.database.profiles.updateOne({ _id: account.id }, change);
      expect((await accountOf(app.url, token))?.profile?.verification.documents).toHaveLength(3);
    },
  );

  test('and an earlier one that names none asks for all three', async () => {
    const { token } = await newRejectedDoctor(app, reviewer);
    const refusal = refusalOf(await resubmit(app, token, { licenseFile }));
    expect(Object.keys(refusal.errors ?? {})).toEqual(['diplomaFile', 'certificationFile']);
  });

  test('is the only decision that can name documents', async () => {
    const { account, token } = await newDoctor(app);
    const { id } = account;
    const naming = (decision: string, revision: number) =>
      sendDecision(app, reviewer.token, { id, revision, decision, reason: 'x', documents: ['LICENSE'] });
    const prohibited = { documents: ['Only the rejection of a doctor asks for documents.'] };
    for (const decision of ['APPROVE', 'SUSPEND']) {
      expect(refusalOf(await naming(decision, 0)).errors).toEqual(prohibited);
    }
    await decide(app, reviewer.token, { id, revision: 0, decision: 'APPROVE' });
    await restApi(app.url).updateMyProfile({ name: 'Dr. Other' }, `Bearer ${token}`);
    // This rejection would be about the correction.
    expect(refusalOf(await naming('REJECT', 2)).errors).toEqual(prohibited);
    expect(await profileOf(id)).toMatchObject({ revision: 2, verification: { status: 'verified' } });
    const unknown = { id, revision: 2, decision: 'REJECT', reason: 'x', documents: ['PASSPORT'] };
    expect((await sendDecision(app, reviewer.token, unknown)).errors).toHaveLength(1);
  });

  test('leaves nothing behind when the account is erased', async () => {
    const doctor = await askedForTwo();
    await resubmit(app, doctor.token, { licenseFile, certificationFile });
    const { licenseFilePath, resubmitted } = (await profileOf(doctor.account.id)) ?? {};
    const paths = [licenseFilePath, ...Object.values(resubmitted ?? {})];
    expect(await storedDocuments(app)).toEqual(expect.arrayContaining(paths));
    const words = ['accounts', 'erase', '--account', String(doctor.account.id), '--now', '--yes'];
    expect((await adminOf(app, ...words)).code).toBe(0);
    const left = await storedDocuments(app);
    expect(paths.filter((stored) => left.includes(String(stored)))).toEqual([]);
  });
});

test('the audit trail has the resubmission', async () => {
  const { account, token } = await newRejectedDoctor(app, reviewer);
  await resubmit(app, token);
  expect(await trailOf(app, { act: 'resubmission', accountId: account.id })).toMatchObject([
    { outcome: 'success', door: 'graphql', byAccountId: null },
  ]);
});

test('a doctor who is not rejected cannot submit documents', async () => {
  const doctor = await newDoctor(app);
  const { id } = doctor.account;
  const expectRefused = () =>
    expectNothingChanged(async () =>
      expect(refusalOf(await resubmit(app, doctor.token)).errors).toEqual({ input: [NOT_REJECTED] }),
    );
  await expectRefused();
  await decide(app, reviewer.token, { id, revision: 0, decision: 'APPROVE' });
  await expectRefused();
  await decide(app, reviewer.token, { id, revision: 1, decision: 'SUSPEND', reason: 'For a test.' });
  await expectRefused();
  await decide(app, reviewer.token, { id, revision: 2, decision: 'REJECT', reason: 'For a test.' });
  await resubmit(app, doctor.token);
  await expectRefused();
});

test('of two resubmissions at once one wins, and the documents of the other are removed', async () => {
  const doctor = await newRejectedDoctor(app, reviewer);
  const before = await storedDocuments(app);
  const answers = await Promise.all([1, 2, 3].map(() => resubmit(app, doctor.token)));
  expect(answers.filter(({ data }) => data)).toHaveLength(1);
  expect(answers.filter(({ data }) => !data).map((answer) => refusalOf(answer).errors)).toEqual(
    Array(2).fill({ input: [NOT_REJECTED] }),
  );
  expect((await profileOf(doctor.account.id))?.revision).toBe(2);
  await eventually(async () => expect(await storedDocuments(app)).toHaveLength(before.length + 3));
});

test('nobody but a rejected doctor can send files: the refusal comes before they do', async () => {
  const patient = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
  const pending = await newDoctor(app);
  const disabled = await newRejectedDoctor(app, reviewer);
  await app.database.accounts.updateOne({ _id: disabled.account.id }, { $set: { disabledAt: new Date() } });
  const senders = [
    [undefined, 401],
    ['nonsense', 401],
    [disabled.token, 401],
    [patient.token, 403],
    [reviewer.token, 403],
    [pending.token, 422],
  ] as const;
  for (const [token, status] of senders) {
    await expectNothingChanged(async () =>
      expect((await answerBeforeFiles(app.url, resubmitRequest(token))).status).toBe(status),
    );
  }
});

test('documents pass the same rules as those of a registration', async () => {
  const { token } = await newRejectedDoctor(app, reviewer);
  await expectNothingChanged(async () => {
    const wrong = { ...newDocuments(), licenseFile: { name: 'a.pdf', bytes: CONTENT.exe } };
    const refusal = refusalOf(await resubmit(app, token, { ...wrong, diplomaFile: aPdf('a.php') }));
    expect(refusal).toMatchObject({ data: null, code: 'BAD_USER_INPUT' });
    expect(Object.keys(refusal.errors ?? {})).toEqual(['licenseFile', 'diplomaFile']);
  });
  await expectNothingChanged(async () => {
    const refusal = refusalOf(await resubmit(app, token, { ...newDocuments(), certificationFile: null }));
    expect(refusal).toMatchObject({
      errors: { certificationFile: ['The certification file field is required.'] },
    });
  });
});

test('a store that fails at the last document leaves the old ones and nothing else', async () => {
  const doctor = await newRejectedDoctor(app, reviewer);
  const folder = path.join(app.storageDir, 'certifications');
  const aside = await newDoctor(app);
  expect(await statusesOf(urlsOf(aside.profile))).toEqual([200, 200, 200]);
  await rm(folder, { recursive: true });
  await expectNothingChanged(async () => {
    expect(refusalOf(await resubmit(app, doctor.token)).code).toBe('INTERNAL_SERVER_ERROR');
  });
  await mkdir(folder);
  expect((await resubmit(app, doctor.token)).data?.resubmitDocuments).toMatchObject({
    licenseFileUrl: doctor.profile.licenseFileUrl,
  });
});

test('the sweep keeps documents that wait for a decision, and removes replaced ones that a crash has left', async () => {
  const doctor = await newRejectedDoctor(app, reviewer);
  await resubmit(app, doctor.token);
  const { resubmitted, licenseFilePath = '' } = (await profileOf(doctor.account.id)) ?? {};
  await letTwoHoursPass(app);
  // The sweep then looks at the new documents alone.
  await utimes(path.join(app.storageDir, licenseFilePath), new Date(), new Date());
  await sweep(app);
  expect(await storedDocuments(app)).toEqual(expect.arrayContaining(Object.values(resubmitted ?? {})));
  expect(await storedDocuments(app)).toContain(licenseFilePath);
  // As if the gateway had died between the decision and the removal.
  await app.database.profiles.updateOne(
    { _id: doctor.account.id },
    { $set: { ...resubmitted }, $unset: { resubmitted: '' } },
  );
  await letTwoHoursPass(app);
  await sweep(app);
  expect(await storedDocuments(app)).not.toContain(licenseFilePath);
  expect(await storedDocuments(app)).toEqual(expect.arrayContaining(Object.values(resubmitted ?? {})));
});

test('an imported document that another profile names survives a decision', async () => {
  const [one, other] = [await newRejectedDoctor(app, reviewer), await newDoctor(app)];
  const { licenseFilePath = '' } = (await profileOf(other.account.id)) ?? {};
  await app.database.profiles.updateOne({ _id: one.account.id }, { $set: { licenseFilePath } });
  await resubmit(app, one.token);
  await decide(app, reviewer.token, { id: one.account.id, revision: 2, decision: 'APPROVE' });
  expect(await statusesOf(urlsOf(other.profile))).toEqual([200, 200, 200]);
});

test('an imported document that could not be removed after a decision is removed after the next', async () => {
  const { account, token } = await newRejectedDoctor(app, reviewer);
  const licenseFilePath = `doctor_profiles/licenses/${'i'.repeat(40)}.pdf`;
  // The folder above is shared with other tests.
  const diplomaFilePath = `../${account.id}.pdf`;
  await app.database.profiles.updateOne({ _id: account.id }, { $set: { licenseFilePath, diplomaFilePath } });
  await resubmit(app, token);
  const [file, outside] = [licenseFilePath, diplomaFilePath].map((name) => path.join(app.storageDir, name));
  jest.spyOn(LocalDocumentStore.prototype, 'remove').mockRejectedValueOnce(new Error('the disk is broken'));
  await writeFile(String(outside), 'not ours');
  const input = { id: account.id, decision: 'REJECT', reason: 'Not readable.' } as const;
  await decide(app, reviewer.token, { ...input, revision: 2 });
  expect(await profileOf(account.id)).toMatchObject({ replaced: [licenseFilePath] });
  await mkdir(path.dirname(String(file)), { recursive: true });
  await writeFile(String(file), CONTENT.pdf);
  await resubmit(app, token);
  await decide(app, reviewer.token, { ...input, revision: 4 });
  expect(await storedDocuments(app)).not.toContain(licenseFilePath);
  expect(await profileOf(account.id)).not.toHaveProperty('replaced');
  await rm(String(outside));
});

test('an operation submits documents once, and no other upload beside it', async () => {
  const { token } = await newRejectedDoctor(app, reviewer);
  const operationsOf = [
    'mutation R($input: ResubmitDocumentsInput!) { a: resubmitDocuments(input: $input) { licenseFileUrl } b: resubmitDocuments(input: $input) { licenseFileUrl } }',
    'mutation R($input: ResubmitDocumentsInput!, $d: RegisterDoctorInput!) { resubmitDocuments(input: $input) { licenseFileUrl } registerDoctor(input: $d) { token } }',
  ];
  for (const query of operationsOf) {
    await expectNothingChanged(async () => {
      const { headers, ...request } = uploadRequest(query, newDocuments());
      const http = await sendForm(app.url, { ...request, headers: { ...headers, ...bearer(token) } });
      expect(http.status).toBe(400);
    });
  }
});

test('resubmissions are counted by account and by address, before their files', async () => {
  const other = await newReviewer(limited);
  const [one, two] = [await newRejectedDoctor(limited, other), await newRejectedDoctor(limited, other)];
  const statusOf = async ({ token }: RegisteredDoctor, address: string) => {
    // An incomplete one: the doctor stays rejected.
    const { headers, ...request } = resubmitRequest(token, { licenseFile: aPdf() });
    const from = { ...headers, 'X-Forwarded-For': address };
    return (await sendForm(limited.url, { ...request, headers: from })).status;
  };
  for (let time = 0; time < LIMIT; time += 1) {
    expect(await statusOf(one, '198.51.100.1')).toBe(200);
  }
  expect(await statusOf(one, '198.51.100.2')).toBe(429);
  expect(await statusOf(two, '198.51.100.1')).toBe(429);
  expect(await statusOf(two, '198.51.100.2')).toBe(200);
});
