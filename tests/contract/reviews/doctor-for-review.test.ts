import { createHash, randomUUID } from 'node:crypto';
import { throughEachApi } from '../../support/apis.ts';
import { aPdf } from '../../support/documents.ts';
import { emailLinkSettings, nextMails, nextMailTo, tokenIn } from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { type Authenticated, registeredDoctor, succeeded } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { sendJson } from '../../support/http.ts';
import { adminOf } from '../../support/operators.ts';
import { aDoctor, type Fields } from '../../support/people.ts';
import { deleteAccount, exportData, trailOf } from '../../support/privacy.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { mailSettings } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  decide,
  doctorsOf,
  newDocuments,
  newReviewer,
  openDoctor,
  refusalOf,
  resubmit,
  sendDecision,
  sendOpening,
} from '../../support/reviews.ts';
import { bearer } from '../../support/session.ts';
import { useSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, type TestApp, useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

const app = useTestApp();
let reviewer: Authenticated;
beforeAll(async () => {
  reviewer = await newReviewer(app);
});

/** A doctor whose license number nobody else has, unless it is given. */
async function register(fields: Fields = {}, api = graphqlApi(app.url)) {
  const doctor = aDoctor({ licenseNumber: `N ${randomUUID()}`, ...fields });
  const { account, token } = registeredDoctor(await api.registerDoctor(doctor));
  return { id: String(account.id), name: doctor.name, password: doctor.password, token };
}

async function registerFive(licenseNumber: string) {
  const another = () => register({ licenseNumber });
  return [await another(), await another(), await another(), await another(), await another()] as const;
}

const othersOf = async (id: string) => (await openDoctor(app, reviewer.token, id)).others ?? [];
const idsOf = async (id: string) => (await othersOf(id)).map((other) => other.id);
const stored = (_id: string) => app.database.profiles.findOne({ _id });
const sha256 = ({ bytes }: { bytes: Buffer }) => createHash('sha256').update(bytes).digest('hex');
const reason = 'Look at the other account.';

throughEachApi((apiOf) => {
  test('who registers with the license number or a document of another doctor is shown with that one', async () => {
    const licenseNumber = `DE-${randomUUID()}`;
    const diplomaFile = aPdf();
    const [first, second, third] = [
      await register({ licenseNumber, diplomaFile }, apiOf(app.url)),
      await register({ licenseNumber }, apiOf(app.url)),
      // The same content, sent as another document.
      await register({ licenseFile: { ...diplomaFile, name: 'other.pdf' } }, apiOf(app.url)),
    ];
    const common = { name: second.name, status: 'PENDING', isDisabled: false };
    expect(await othersOf(first.id)).toEqual([
      { ...common, id: third.id, hasSameLicenseNumber: false, hasSameDocument: true },
      { ...common, id: second.id, hasSameLicenseNumber: true, hasSameDocument: false },
    ]);
    expect(await idsOf(second.id)).toEqual([first.id]);
    expect(await idsOf(third.id)).toEqual([first.id]);
    const hashes = (await stored(first.id))?.documentHashes?.map((one) => one.sha256);
    expect(hashes?.[1]).toBe(sha256(diplomaFile));
  });
});

test('one file for all three documents is found, too', async () => {
  const file = aPdf();
  const first = await register({ licenseFile: file, diplomaFile: file, certificationFile: file });
  const second = await register({ certificationFile: file });
  expect(await idsOf(first.id)).toEqual([second.id]);
});

test.each([
  ['MD-12.345/a', 'md 12345 A', ''],
  ['ＭＤ１２３', 'MD123', ''],
  ['Straße 5', 'STRASSE5', ''],
  ['№ 7', 'no7', ''],
  ['12\u200b3\u00ad4\ufe0f8', '12348', ''],
  ['A\u0308 9', 'ä9', ''],
  // Its form NFKC has 3,960 characters.
  [`1${'ﷺ'.repeat(220)}`, `1 ${'ﷺ'.repeat(220)}`, ''],
  ['12345', '12346', 'not'],
  ['1 5', '١ ٥', 'not'],
  ['A 1', 'Ä 1', 'not'],
])('%j and %j are %s one license number', async (one, other, not) => {
  const start = randomUUID().slice(0, 4);
  const first = await register({ licenseNumber: start + one });
  const second = await register({ licenseNumber: start + other });
  expect(await idsOf(first.id)).toEqual(not === 'not' ? [] : [second.id]);
});

test.each(['n/a', 'none', '-', '…', 'Kammer Berlin'])('%j is no license number', async (licenseNumber) => {
  const [first] = [await register({ licenseNumber }), await register({ licenseNumber })];
  expect(await othersOf(first?.id ?? '')).toEqual([]);
  expect(await stored(first?.id ?? '')).not.toHaveProperty('licenseKeys');
});

test('at most five are shown, whatever their status is, disabled and closed ones with a mark', async () => {
  const licenseNumber = `DE-${randomUUID()}`;
  const first = await register({ licenseNumber });
  const [verified, rejected, suspended, disabled, closed] = await registerFive(licenseNumber);
  await decide(app, reviewer.token, { id: verified.id, revision: 0, decision: 'APPROVE' });
  await decide(app, reviewer.token, { id: rejected.id, revision: 0, decision: 'REJECT', reason });
  await decide(app, reviewer.token, { id: suspended.id, revision: 0, decision: 'SUSPEND', reason });
  await app.database.accounts.updateOne({ _id: disabled.id }, { $set: { disabledAt: new Date() } });
  await deleteAccount(app.url, closed.token, closed.password);
  const others = await othersOf(first.id);
  expect(Object.fromEntries(others.map((one) => [one.id, [one.status, one.isDisabled]]))).toEqual({
    [verified.id]: ['VERIFIED', false],
    [rejected.id]: ['REJECTED', false],
    [suspended.id]: ['SUSPENDED', false],
    [disabled.id]: ['PENDING', true],
    [closed.id]: ['PENDING', true],
  });
  expect(await openDoctor(app, reviewer.token, disabled.id)).toMatchObject({ isDisabled: true });
  const variables = { id: disabled.id, revision: 0, decision: 'APPROVE' };
  expect(refusalOf(await sendDecision(app, reviewer.token, variables)).code).toBe('NOT_FOUND');
  await register({ licenseNumber });
  expect(await othersOf(first.id)).toHaveLength(5);
});

test('who is erased, is being erased, has no account or cannot be shown is no other doctor, and cannot be opened', async () => {
  const licenseNumber = `DE-${randomUUID()}`;
  const first = await register({ licenseNumber });
  const [erased, beingErased, removed, orphan, invalid] = await registerFive(licenseNumber);
  const visible = await register({ licenseNumber });
  const { accounts, profiles } = app.database;
  await adminOf(app, 'accounts', 'erase', '--account', erased.id, '--now', '--yes');
  await accounts.updateOne({ _id: beingErased.id }, { $set: { erasingSince: new Date() } });
  await profiles.updateOne({ _id: removed.id }, { $set: { removal: 'final' } });
  await accounts.deleteOne({ _id: orphan.id });
  await profiles.updateOne({ _id: invalid.id }, { $set: { 'verification.status': 'hidden' } });
  expect(await idsOf(first.id)).toEqual([visible.id]);
  for (const { id } of [erased, beingErased, removed, orphan, invalid]) {
    expect(refusalOf(await sendOpening(app, reviewer.token, { id })).code).toBe('NOT_FOUND');
  }
  expect(await stored(erased.id)).toBeNull();
});

test('a correction, a proposal and a decision on it change by what number a doctor is found', async () => {
  const [licenseNumber, taken] = [`DE-${randomUUID()}`, `DE-${randomUUID()}`];
  const [holder, doctor] = [await register({ licenseNumber: taken }), await register({ licenseNumber })];
  const correct = async (number: string) =>
    succeeded(await restApi(app.url).updateMyProfile({ licenseNumber: number }, `Bearer ${doctor.token}`));
  await correct(taken);
  expect(await idsOf(holder.id)).toEqual([doctor.id]);
  await correct('n/a');
  expect(await idsOf(holder.id)).toEqual([]);
  expect(await stored(doctor.id)).not.toHaveProperty('licenseKeys');
  await correct(licenseNumber);
  const { revision } = await openDoctor(app, reviewer.token, doctor.id);
  await decide(app, reviewer.token, { id: doctor.id, revision, decision: 'APPROVE' });
  await correct(taken);
  expect(await idsOf(holder.id)).toEqual([doctor.id]);
  expect(await idsOf(doctor.id)).toEqual([holder.id]);
  const id = doctor.id;
  await decide(app, reviewer.token, { id, revision: revision + 2, decision: 'REJECT', reason });
  expect(await idsOf(holder.id)).toEqual([]);
  await correct(taken);
  await decide(app, reviewer.token, { id, revision: revision + 4, decision: 'APPROVE' });
  expect(await idsOf(holder.id)).toEqual([doctor.id]);
  expect((await stored(doctor.id))?.licenseKeys).toHaveLength(1);
});

test('documents that are sent again are compared at once, and those that they replace until the decision', async () => {
  const [former, next] = [aPdf(), aPdf()];
  const [first, second] = [await register({ licenseFile: former }), await register({ licenseFile: next })];
  const doctor = await register({ licenseFile: former });
  await decide(app, reviewer.token, { id: doctor.id, revision: 0, decision: 'REJECT', reason });
  const sent = await resubmit(app, doctor.token, { ...newDocuments(), licenseFile: next });
  expect(sent.errors).toBeUndefined();
  expect((await idsOf(doctor.id)).sort()).toEqual([first.id, second.id].sort());
  await decide(app, reviewer.token, { id: doctor.id, revision: 2, decision: 'APPROVE' });
  expect(await idsOf(doctor.id)).toEqual([second.id]);
  const profile = await stored(doctor.id);
  expect(profile?.documentHashes?.map(({ path }) => path)).toEqual([
    profile?.licenseFilePath,
    profile?.diplomaFilePath,
    profile?.certificationFilePath,
  ]);
  expect(profile).not.toHaveProperty('unhashed');
});

test('neither a hash nor a key is in an answer, in a list there are no others, and an export has none', async () => {
  const licenseNumber = `DE-${randomUUID()}`;
  const [doctor] = [await register({ licenseNumber }), await register({ licenseNumber })];
  const { token, id } = doctor ?? { token: '', id: '' };
  const profile = await stored(id);
  const [{ sha256: hash } = { sha256: '' }] = profile?.documentHashes ?? [];
  const key = profile?.licenseKeys?.[0] ?? '';
  const answers = [
    JSON.stringify(await openDoctor(app, reviewer.token, id)),
    JSON.stringify(await exportData(app.url, token)),
    (await sendJson(`${app.url}/graphql`, { query: '{ me { profile { licenseNumber } } }' }, bearer(token)))
      .text,
  ];
  for (const text of answers) {
    expect(text).toContain(licenseNumber);
    expect([key.length, hash.length]).toEqual([43, 64]);
    expect([text.includes(key), text.includes(hash)]).toEqual([false, false]);
  }
  const query = '{ doctorsForReview(first: 2) { edges { node { others { id } } } } }';
  const list = await sendJson(`${app.url}/graphql`, { query }, bearer(reviewer.token));
  expect(list.text).toContain('{"node":{"others":null}}');
});

test('the audit trail has who has opened whom', async () => {
  const [opening, { id }] = [await newReviewer(app), await register()];
  await openDoctor(app, opening.token, id);
  const byAccountId = String(opening.account.id);
  await eventually(async () =>
    expect(await trailOf(app, { act: 'reading', byAccountId })).toMatchObject([
      { accountId: id, reason: 'doctor', outcome: 'success', door: 'graphql' },
    ]),
  );
});

test('only reviewers open a doctor, one in an operation, and only one who exists', async () => {
  const { id, token } = await register();
  expect(refusalOf(await sendOpening(app, token, { id })).code).toBe('FORBIDDEN');
  expect(refusalOf(await sendOpening(app, undefined, { id })).code).toBe('UNAUTHENTICATED');
  for (const strange of ['0', 'x'.repeat(5_000), '{"$gt":""}', '\0', String(reviewer.account.id)]) {
    expect(refusalOf(await sendOpening(app, reviewer.token, { id: strange })).code).toBe('NOT_FOUND');
  }
  expect(refusalOf(await sendOpening(app, reviewer.token, { id: '' })).errors).toHaveProperty('id');
  const query = `{ a: doctorForReview(id: "${id}") { revision } b: doctorForReview(id: "${id}") { revision } }`;
  const twice = await sendJson(`${app.url}/graphql`, { query }, bearer(reviewer.token));
  expect(twice.text).toContain('more than one export or list');
});

describe('whether the reason of a decision is mailed', () => {
  const smtp = useSmtpServer();
  let withLinks: TestApp;
  let withoutLinks: TestApp;
  beforeAll(async () => {
    withLinks = await createTestApp(emailLinkSettings(smtp.url));
    withoutLinks = await createTestApp(mailSettings(smtp.url));
  });
  afterAll(async () => {
    await withLinks.stop();
    await withoutLinks.stop();
  });

  test.each([
    ['a gateway without mails', () => app, false, undefined],
    ['an e-mail that nobody can confirm', () => withoutLinks, false, true],
    ['an e-mail that was not confirmed', () => withLinks, false, false],
    ['a confirmed e-mail', () => withLinks, true, true],
  ])('is said before for %s, and comes true', async (_, appOf, isProven, isMailed) => {
    const used = appOf();
    const { token } = await newReviewer(used);
    await (used === withLinks && nextMails(smtp, 1));
    const doctor = aDoctor();
    const { account } = registeredDoctor(await restApi(used.url).registerDoctor(doctor));
    if (used === withLinks) {
      const link = tokenIn(await nextMailTo(smtp, doctor.email));
      await (isProven && restApi(used.url).verifyEmail({ token: link }).then(succeeded));
    }
    const id = String(account.id);
    expect((await openDoctor(used, token, id)).isReasonMailed).toBe(isMailed === true);
    const { edges } = await doctorsOf(used, token, { first: 100 });
    expect(edges.find(({ node }) => node.account.id === id)?.node.isReasonMailed).toBe(isMailed === true);
    const decided = await decide(used, token, { id, revision: 0, decision: 'REJECT', reason });
    expect(decided.isReasonMailed).toBe(isMailed === true);
    if (isMailed !== undefined) {
      expect((await nextMailTo(smtp, doctor.email)).text.includes(reason)).toBe(isMailed);
    }
  });
});
