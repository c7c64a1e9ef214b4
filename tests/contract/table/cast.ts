import type { Connection } from 'mongoose';
import { EmailLinkTokens } from '../../../src/auth/emails/email-link-tokens.ts';
import { InvitationUse } from '../../../src/auth/invitation-use.ts';
import { PasswordResetTokens } from '../../../src/auth/passwords/password-reset-tokens.ts';
import { formatToken, generateSecret } from '../../../src/auth/tokens/token-format.ts';
import { newId } from '../../../src/stores/accounts.ts';
import { openStores } from '../../../src/stores/stores.ts';
import { createLog } from '../../../src/system/log.ts';
import { emailLinkSettings } from '../../support/email-links.ts';
import { authenticated } from '../../support/expectations.ts';
import { FEED } from '../../support/feed.ts';
import {
  BEGIN,
  change,
  newOperator,
  OPERATOR_API,
  operate,
  operated,
  waitingStaff,
} from '../../support/operators.ts';
import { addPasskey, PASSKEYS } from '../../support/passkeys.ts';
import { aDoctor, aPatient, type Fields } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { decide } from '../../support/reviews.ts';
import { byRest, enrol, nextCode } from '../../support/second-factor.ts';
import { tokenWithoutLogin } from '../../support/session.ts';
import { type TestApp, testClock } from '../../support/test-app.ts';

/** The settings of a gateway that has everything. Its mails wait, because its clock stands still. */
export const EVERYTHING = {
  ...{ ...OPERATOR_API, ...PASSKEYS, ...FEED, ...emailLinkSettings('smtp://127.0.0.1:9') },
  PEOPLE_URL: 'https://app.example.org/people',
  ...{ BASE_URL: 'https://gateway.example.org', TRUST_PROXY: '1', RATE_LIMIT: 'on' },
  // The people are made from one address.
  ...{ RATE_LIMIT_LOGINS_PER_MINUTE: '1000', RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '1000' },
};

const DAY_MILLIS = 86_400_000;

/** Somebody with an access token. */
export interface Member {
  id: string;
  email: string;
  password: string;
  token: string;
}

export type Cast = Awaited<ReturnType<typeof assembleCast>>;

/** Makes one of each kind of people, and of what they were sent. Their addresses are always the same. */
export async function assembleCast(app: TestApp, connection: Connection) {
  const { url } = app;
  // What commands do has the time of the machine. It is always earlier than the rest, so that the order of events is certain.
  testClock.move(600_000);
  const stores = openStores({ connection });
  const rest = restApi(url);
  const registered = async (fields: Fields & { email: string; password: string }, isDoctor = false) => {
    const outcome = await (isDoctor ? rest.registerDoctor(fields) : rest.registerPatient(fields));
    const { account, token } = authenticated(outcome);
    const { id } = account;
    const emailProof = { emailKey: fields.email, at: new Date(testClock.now()) };
    // No two of them have the same time, so that the order of lists is certain.
    testClock.move(1000);
    await app.database.accounts.updateOne({ _id: id }, { $set: { emailProof } });
    return { id, email: fields.email, password: fields.password, token };
  };
  const patient = await registered(aPatient({ email: 'patient@example.org' }));
  const unproven = await registered(aPatient({ email: 'unproven@example.org' }));
  await app.database.accounts.updateOne({ _id: unproven.id }, { $unset: { emailProof: true } });
  const doctor = await registered(aDoctor({ email: 'doctor@example.org' }), true);
  const rejected = await registered(aDoctor({ email: 'rejected@example.org' }), true);
  const plain = await registered(aPatient({ email: 'owner@example.org' }));
  const owner = { ...plain, ...(await enrol(url, plain)) };
  const { challenge } = await byRest(url)('login', { email: owner.email, password: owner.password });
  const keyholder = await registered(aPatient({ email: 'keyholder@example.org' }));
  const { authenticator, passkey } = await addPasskey(url, keyholder);
  const disabled = await registered(aPatient({ email: 'disabled@example.org' }));
  const operator = await newOperator(app);
  const colleague = await newOperator(app);
  const reviewer = await registered(aPatient({ email: 'reviewer@example.org' }));
  await app.database.accounts.updateOne({ _id: reviewer.id }, { $set: { role: 'reviewer' } });
  const { id } = rejected;
  await decide(app, reviewer.token, { id, revision: 0, decision: 'REJECT', reason: 'Not readable.' });
  await change(app, operator, 'disableAccount', { account: disabled.id });
  // Its mails wait for another attempt, so that an operator can hurry them.
  const later = { attempts: 1, nextAttemptAt: new Date(testClock.now() + DAY_MILLIS) };
  const mails = app.database.db.collection('outgoing_mails');
  await mails.updateMany({ 'order.to.accountId': keyholder.id }, { $set: later });
  const staff = await waitingStaff(app);
  // Each code works once.
  nextCode();

  const tokenFor = (accountId: string, abilities: string[] | null, ageMillis?: number) =>
    tokenWithoutLogin(stores.accessTokens, accountId, abilities, ageMillis);
  const accountOf = async (accountId: string) => {
    const account = await stores.accounts.findWithPassword(accountId);
    if (!account) {
      throw new Error(`no account ${accountId}`);
    }
    return account;
  };
  const resets = new PasswordResetTokens(stores.resetTokens, testClock);
  const links = new EmailLinkTokens(stores.emailLinks, testClock);
  const invited = { _id: newId(), email: 'invited@example.org', role: 'patient', name: 'Invited' } as const;
  await stores.invitations.insert(invited, new Date(testClock.now()));
  const { accounts, invitations } = stores;
  const use = new InvitationUse({
    accounts,
    invitations,
    clock: testClock,
    log: createLog('silent', process.stdout),
  });
  const people = {
    patient,
    unproven,
    doctor,
    rejected,
    owner,
    keyholder,
    disabled,
    operator,
    colleague,
    reviewer,
  };
  return {
    ...people,
    app,
    url,
    people: people as Record<keyof typeof people, Member>,
    challenge: String(challenge),
    authenticator,
    passkeyId: passkey.id,
    credentialId: passkey.credentialId,
    invitationId: invited._id,
    invitationToken: await use.makeToken(invited._id),
    setUpToken: staff.token,
    waitingId: staff.id,
    resetToken: (await resets.make(await accountOf(patient.id), 'mail')).token,
    emailToken: (await links.make(await accountOf(unproven.id))).token,
    /** A token that no account has. */
    unknownToken: formatToken({ tokenId: newId(), secret: generateSecret('') }),
    tokenFor,
    beginSetUp: () => operated<{ secretKey: string }>(app, BEGIN, { input: { token: staff.token } }),
    /** The challenge of an operator who has logged in by the password alone. */
    operatorChallenge: async () => {
      const { email, password } = operator;
      const query = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';
      const { extensions } = await operate(app, query, { input: { email, password } });
      return String(extensions.challenge);
    },
  };
}
