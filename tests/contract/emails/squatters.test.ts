import { accountSchema } from '../../../src/stores/account-record.ts';
import { emailLinkSettings, nextMails, nextMailTo, tokenIn } from '../../support/email-links.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, expectInvalid, refused, succeeded } from '../../support/expectations.ts';
import { adminOf } from '../../support/operators.ts';
import {
  addPasskey,
  loginCredential,
  NOT_ACCEPTED,
  PASSKEYS,
  passkeysByRest,
} from '../../support/passkeys.ts';
import { aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { auditEvents, deleteAccount } from '../../support/privacy.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { resetCodeOf } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { type ReceivedMail, type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, letMailsBeSent, type TestApp } from '../../support/test-app.ts';

storesWrongRecords();

// Anybody can register the e-mail of a stranger and wait until its owner comes. The first mailed reset ends all that the squatter has.

let server: SmtpTestServer;
let app: TestApp;

beforeAll(async () => {
  server = await startSmtpServer();
  app = await createTestApp({ ...emailLinkSettings(server.url), ...PASSKEYS, TRUST_PROXY: 'loopback' });
});
afterAll(async () => {
  await app.stop();
  await server.stop();
});

const SQUATTER = { 'X-Forwarded-For': '192.0.2.66' };
const OWNER = { 'X-Forwarded-For': '198.51.100.7' };
const INVALID = { token: ['This e-mail verification token is invalid.'] };

/**
 * Every field of an account, and whether a squatter may have left something in it that gives access or helps to get it. A new field
 * needs its decision here; one that gives access also needs its end in a first proof (src/auth/passwords/password-changes.ts).
 */
const ACCOUNT_FIELDS: Readonly<Record<string, 'access' | 'none'>> = {
  ...{ _id: 'none', name: 'none', email: 'none', emailKey: 'none', phone: 'none', dateOfBirth: 'none' },
  ...{ role: 'none', createdAt: 'none', updatedAt: 'none', emailProof: 'none' },
  ...{ corrected: 'none', profileRevision: 'none' },
  // They say the state of the account, which only its owner or an operator changes.
  ...{ disabledAt: 'none', legacyAbsence: 'none', erasureDueAt: 'none', erasingSince: 'none' },
  closedByOwner: 'none',
  ...{ passwordHash: 'access', upgradedFrom: 'access', knownPlaces: 'access', passwordChange: 'access' },
  codePlaces: 'access',
  // The owner hears nothing of logins from a known one.
  knownDevices: 'access',
  language: 'none',
  // They follow from the name and the telephone.
  ...{ nameWords: 'none', phoneDigits: 'none' },
  // Only an operator's change of the e-mail sets it.
  noResetBefore: 'none',
  eventNotes: 'none',
  ...{ accessVersion: 'access', emailChange: 'access' },
  factors: 'access',
  passkeys: 'access',
};

/** The collections whose records belong to an account, and whether they give access to it. */
const COLLECTIONS: Readonly<Record<string, 'access' | 'none'>> = {
  ...{ access_tokens: 'access', reset_tokens: 'access', email_proofs: 'access' },
  ...{ factors: 'access', challenges: 'access', passkeys: 'access' },
  ...{
    accounts: 'none',
    audit_events: 'none',
    outgoing_mails: 'none',
    doctor_profiles: 'none',
    swept_profiles: 'none',
  },
  ...{ attempt_counts: 'none', erasures: 'none', secrets: 'none', schema: 'none', id_counters: 'none' },
  // What operators have done, which only they can do.
  ...{ overviews: 'none', operator_acts: 'none' },
  // Whoever has an account cannot use one.
  invitations: 'none',
  // Ids, roles and states.
  ...{ events: 'none', webhooks: 'none' },
};

/** Everything that a squatter can have of an account with the e-mail of somebody else. */
async function squat() {
  const patient = aPatient();
  const api = restApi(app.url, SQUATTER);
  const { account, token } = authenticated(await api.registerPatient(patient));
  const proof = tokenIn(await nextMailTo(server, patient.email));
  const { token: other } = authenticated(await api.login(patient));
  const own = freshEmail();
  succeeded(await api.changeEmail({ email: own, password: patient.password }, `Bearer ${token}`));
  const change = tokenIn((await nextMails(server, 2)).get(own) as ReceivedMail);
  const code = await resetCodeOf(app, patient.email);
  // As with links switched off: then a passkey needs no proven e-mail.
  const { db } = app.database;
  const emailProof = { emailKey: patient.email, at: new Date() };
  await app.database.accounts.updateOne({ _id: account.id }, { $set: { emailProof } });
  const { authenticator, passkey } = await addPasskey(app.url, { password: patient.password, token });
  await app.database.accounts.updateOne({ _id: account.id }, { $unset: { emailProof: true } });
  expect((await nextMailTo(server, patient.email)).subject).toBe('A passkey was added');
  const passkeys = db.collection<{ _id: string }>('passkeys');
  expect(await passkeys.countDocuments({ _id: passkey.id, accountId: account.id })).toBe(1);
  // Nor does a second factor.
  await app.database.accounts.updateOne(
    { _id: account.id },
    {
      $set: {
        factors: { app: `app of ${account.id}`, codes: `codes of ${account.id}` },
        codePlaces: ['a place of the squatter'],
      },
    },
  );
  await db.collection('challenges').insertOne({ accountId: account.id });
  const records = [
    ...[{ _id: `app of ${account.id}` }, { _id: `codes of ${account.id}` }],
    // An app that waits for its confirmation.
    { _id: `next app of ${account.id}`, expiresAt: new Date(Date.now() + 1_800_000) },
  ];
  await db
    .collection<{ _id: string }>('factors')
    .insertMany(records.map((record) => ({ ...record, accountId: account.id })));
  return { ...patient, id: account.id, sessions: [token, other], proof, change, code, authenticator };
}

test('the owner’s first reset ends sessions, links, the pending change and the known places and devices of a squatter', async () => {
  const squatter = await squat();
  const { id, email } = squatter;
  const before = await app.database.accounts.findOne({ _id: id });
  const owner = restApi(app.url, OWNER);
  succeeded(await owner.requestPasswordReset({ email }));
  const mail = await nextMailTo(server, email);
  expect(mail.text).toContain('If this account is not yours');
  const password = freshPassword();
  succeeded(await owner.resetPassword({ token: tokenIn(mail), newPassword: password }));
  await nextMailTo(server, email);

  const after = await app.database.accounts.findOne({ _id: id });
  expect(after?.emailProof).toEqual({ emailKey: email, at: expect.any(Date) });
  for (const [field, kind] of Object.entries(ACCOUNT_FIELDS)) {
    const [old, now] = [before, after].map((record) => Reflect.get(record ?? {}, field) as unknown);
    if (kind === 'access' && old !== undefined) {
      expect({ [field]: now }).not.toEqual({ [field]: old });
    }
  }
  expect(after?.knownPlaces?.some((place) => before?.knownPlaces?.includes(place))).toBe(false);
  expect(before?.knownDevices).toEqual(['node']);
  expect(after).not.toHaveProperty('knownDevices');
  expect(after).not.toHaveProperty('emailChange');
  for (const [collection, kind] of Object.entries(COLLECTIONS)) {
    const records = app.database.db.collection(collection).countDocuments({ accountId: id });
    expect(kind === 'access' ? await records : 0).toBe(0);
  }

  const api = restApi(app.url, SQUATTER);
  for (const session of squatter.sessions) {
    expect(await accountOf(app.url, session)).toBeUndefined();
  }
  refused(await api.login({ email, password: squatter.password }), 'credentials');
  const credential = await loginCredential(app.url, squatter.authenticator);
  const byPasskey = await passkeysByRest(app.url)('loginWithPasskey', { credential });
  expect(byPasskey).toMatchObject({ ok: false, isUnknown: true, message: NOT_ACCEPTED });
  refused(await api.resetPassword({ token: squatter.code, newPassword: freshPassword() }), 'validation');
  expectInvalid(await api.verifyEmail({ token: squatter.change }), INVALID);
  expectInvalid(await api.verifyEmail({ token: squatter.proof }), INVALID);
  authenticated(await owner.login({ email, password }));
  expect((await app.database.accounts.findOne({ _id: id }))?.email).toBe(email);
});

test('a reset by an operator’s link proves nothing, so a later mailed one is still the first', async () => {
  const { id, email, code } = await squat();
  const api = restApi(app.url, OWNER);
  succeeded(await api.resetPassword({ token: code, newPassword: freshPassword() }));
  await nextMailTo(server, email);
  expect(await app.database.accounts.findOne({ _id: id })).not.toHaveProperty('emailProof');
});
test('closing an account keeps no e-mail from its owner: a mailed reset opens it, unless an operator has decided', async () => {
  const closed = async () => {
    const patient = aPatient();
    const squatter = restApi(app.url, SQUATTER);
    const { account, token } = authenticated(await squatter.registerPatient(patient));
    const link = tokenIn(await nextMailTo(server, patient.email));
    await deleteAccount(app.url, token, patient.password);
    await nextMailTo(server, patient.email);
    return { ...patient, id: account.id, link };
  };
  const owner = restApi(app.url, OWNER);
  const { id, email, password: former, link } = await closed();
  succeeded(await owner.requestPasswordReset({ email }));
  const token = tokenIn(await nextMailTo(server, email));
  expectInvalid(await owner.verifyEmail({ token: link }), INVALID);
  const password = freshPassword();
  succeeded(await owner.resetPassword({ token, newPassword: password }));
  await nextMailTo(server, email);
  const opened = await app.database.accounts.findOne({ _id: id });
  expect(opened).toMatchObject({ disabledAt: null, emailProof: { emailKey: email } });
  expect(opened).not.toHaveProperty('erasureDueAt');
  expect(opened).not.toHaveProperty('closedByOwner');
  refused(await owner.login({ email, password: former }), 'credentials');
  const session = authenticated(await owner.login({ email, password }));
  const event = await auditEvents(app).findOne({ accountId: id, act: 'enabling' });
  expect(event).toMatchObject({ outcome: 'success', reason: 'the e-mail is proven' });
  // Its owner may close it, and then it stays closed.
  await deleteAccount(app.url, session.token, password);
  await nextMailTo(server, email);
  const [disabled, erased] = [await closed(), await closed()];
  const disabling = await adminOf(app, 'accounts', 'disable', '--account', disabled.id);
  const closing = await adminOf(app, 'accounts', 'erase', '--account', erased.id, '--yes');
  expect([disabling.code, closing.code]).toEqual([0, 0]);
  const emails = [email, disabled.email, erased.email];
  for (const one of emails) {
    succeeded(await owner.requestPasswordReset({ email: one }));
  }
  await letMailsBeSent();
  await eventually(async () => {
    const waiting = app.database.db
      .collection('outgoing_mails')
      .countDocuments({ nextAttemptAt: { $gt: new Date(0) } });
    expect(await waiting).toBe(0);
  });
  const reset = server.mails.filter(({ subject }) => subject === 'Choose a new password');
  expect(reset.filter(({ recipients }) => emails.slice(1).includes(recipients.join()))).toEqual([]);
  expect(reset.filter(({ recipients }) => recipients.join() === email)).toHaveLength(1);
});

test('whoever adds a field to accounts or a collection decides whether a squatter can use it', async () => {
  const fields = Object.keys(accountSchema.paths).map((path) => path.split('.')[0] ?? '');
  expect([...new Set(fields)].filter((field) => !(field in ACCOUNT_FIELDS))).toEqual([]);
  const names = (await app.database.db.collections()).map(({ collectionName }) => collectionName);
  expect(names.filter((name) => !(name in COLLECTIONS))).toEqual([]);
});

test('a token of an earlier release does not say that it was mailed, and proves nothing', async () => {
  const { id, email } = await squat();
  const api = restApi(app.url, OWNER);
  succeeded(await api.requestPasswordReset({ email }));
  const token = tokenIn(await nextMailTo(server, email));
  await app.database.db
    .collection('reset_tokens')
    .updateMany({ accountId: id }, { $unset: { mailed: true } });
  succeeded(await api.resetPassword({ token, newPassword: freshPassword() }));
  await nextMailTo(server, email);
  expect(await app.database.accounts.findOne({ _id: id })).not.toHaveProperty('emailProof');
});
