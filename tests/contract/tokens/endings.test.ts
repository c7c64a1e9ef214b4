import type { Connection } from 'mongoose';
import { EmailLinkTokens } from '../../../src/auth/emails/email-link-tokens.ts';
import { PasswordResetTokens } from '../../../src/auth/passwords/password-reset-tokens.ts';
import { digest } from '../../../src/auth/throttle/throttle-limits.ts';
import { connect } from '../../../src/database/connect.ts';
import { ENDINGS, type EndingAct, endingsOf, renewed } from '../../../src/stores/account-endings.ts';
import { asAbsent, asReturned, type StoredAccount } from '../../../src/stores/accounts.ts';
import type { AttemptCount, WindowCounts } from '../../../src/stores/attempts.ts';
import { emailKey } from '../../../src/stores/email-key.ts';
import { openStores, type Stores } from '../../../src/stores/stores.ts';
import { LONG_LIMITS } from '../../support/database.ts';
import { emailLinkSettings } from '../../support/email-links.ts';
import { A_NOTE } from '../../support/event-note.ts';
import { refused, succeeded } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import {
  adminOf,
  changed,
  newOperator,
  OPERATOR_API,
  proveAgain,
  type Staff,
} from '../../support/operators.ts';
import { addPasskey, confirmCredential, PASSKEYS, passkeysByRest } from '../../support/passkeys.ts';
import { freshEmail, freshPassword } from '../../support/people.ts';
import { resetCodeOf } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  aStoredOwner,
  aStoredPerson,
  byRest,
  codeAt,
  done,
  enrol,
  nextCode,
} from '../../support/second-factor.ts';
import { accountOf, bearer, tokenIdOf, tokenWithoutLogin } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const DAY_MILLIS = 86_400_000;

// What each act ends (src/stores/account-endings.ts), in both orders: what was begun before it, and what is begun after it.

const SETTINGS = {
  ...{ ...OPERATOR_API, ...PASSKEYS, ...emailLinkSettings('smtp://127.0.0.1:9') },
  ...{ RATE_LIMIT: 'on', RATE_LIMIT_LOGINS_PER_MINUTE: '1000', RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '1000' },
};
const app = useTestApp(SETTINGS);
/** On the same database: a login without a second factor gets a challenge to set one up. */
const strict = useTestApp(
  { ...SETTINGS, TWO_FACTOR_REQUIRED: 'patient', TWO_FACTOR_GRACE_DAYS: '0' },
  () => app.database.uri,
);

let connection: Connection;
let stores: Stores;
let operator: Staff;
beforeAll(async () => {
  connection = await connect(app.database.uri, LONG_LIMITS);
  stores = openStores({ connection });
  operator = await newOperator(app);
});
afterAll(() => connection.close());

const attempts = () => app.database.db.collection<Omit<AttemptCount, keyof WindowCounts>>('attempt_counts');
const act = (...words: Parameters<ReturnType<typeof byRest>>) => byRest(app.url)(...words);
const withPasskey = (...words: Parameters<ReturnType<typeof passkeysByRest>>) =>
  passkeysByRest(app.url)(...words);
const command = async (...words: string[]) =>
  expect(await adminOf(app, ...words)).toMatchObject({ code: 0, stderr: '' });

/** The account with its secrets. */
async function storedOf({ id }: { id: string }): Promise<StoredAccount> {
  const stored = await stores.accounts.findWithPassword(id);
  if (!stored) {
    throw new Error(`no account ${id}`);
  }
  return stored;
}

const tokenFor = (accountId: string) => tokenWithoutLogin(stores.accessTokens, accountId);

const setProof = ({ id, email }: { id: string; email: string }, isProven: boolean) =>
  app.database.accounts.updateOne(
    { _id: id },
    isProven
      ? { $set: { emailProof: { emailKey: email, at: new Date() } } }
      : { $unset: { emailProof: true as const } },
  );

/** Somebody with an app and a passkey, or one to remove as well. The e-mail is not proven, so that a link can prove it. */
async function anOwner(hasOtherPasskey = false) {
  const owner = await aStoredOwner(app.database);
  const { authenticator } = await addPasskey(app.url, owner, undefined, { code: code(owner) });
  const other =
    hasOtherPasskey && (await addPasskey(app.url, owner, undefined, { code: code(owner) })).passkey.id;
  await setProof(owner, false);
  return { ...owner, authenticator, otherPasskey: other };
}
type Owner = Awaited<ReturnType<typeof anOwner>>;

const links = () => ({
  resets: new PasswordResetTokens(stores.resetTokens, testClock),
  emails: new EmailLinkTokens(stores.emailLinks, testClock),
});

/** What is begun, and how it is seen whether it can still be finished. The last two change the account, so they are looked at last. */
const THINGS = {
  'count of right logins': async ({ email }: Owner) => {
    const key = `right-logins:${digest(emailKey(email))}`;
    const expire = new Date(testClock.now() + DAY_MILLIS);
    await attempts().replaceOne({ key }, { key, expire }, { upsert: true });
    return async () => (await attempts().countDocuments({ key })) === 1;
  },
  'access token': async ({ id }: Owner) => {
    const token = await tokenFor(id);
    return async () => (await accountOf(app.url, token)) !== undefined;
  },
  'login challenge': async ({ email, password }: Owner) => {
    const { challenge } = await act('login', { email, password });
    return async () => !('challenge' in (await act('completeLogin', { challenge, code: 'wrong' })).errors);
  },
  'passkey challenge': async ({ id, authenticator }: Owner) => {
    const credential = await confirmCredential(app.url, authenticator, await tokenFor(id));
    return async () => (await withPasskey('stepUp', { credential }, await tokenFor(id))).ok;
  },
  'pending app': async ({ id, password, authenticator }: Owner) => {
    const token = await tokenFor(id);
    const prove = async (isProven: boolean) =>
      setProof({ id, email: (await storedOf({ id })).email }, isProven);
    await prove(true);
    const credential = await confirmCredential(app.url, authenticator, token);
    done(await act('enableTwoFactor', { password, credential }, token));
    await prove(false);
    return async () => {
      await prove(true);
      const { errors } = await act('confirmTwoFactor', { code: 'wrong' }, await tokenFor(id));
      await prove(false);
      return !String(errors.code).includes('There is no authenticator app to confirm');
    };
  },
  'reset link': async (owner: Owner) => {
    const { token } = await links().resets.make(await storedOf(owner), 'operator');
    return async () => {
      // With a right token the password is looked at, and refused.
      const { errors } = refused(
        await restApi(app.url).resetPassword({
          token,
          newPassword: `Own-1-${(await storedOf(owner)).email}`,
        }),
        'validation',
      );
      return !('email' in errors);
    };
  },
  'proof link': async (owner: Owner) => {
    const { token } = await links().emails.make(await storedOf(owner));
    return async () => (await restApi(app.url).verifyEmail({ token })).ok;
  },
  'own e-mail change': async (owner: Owner) => {
    const [stored, email] = [await storedOf(owner), freshEmail()];
    expect(await stores.accounts.requestEmailChange(stored, email)).toBe(true);
    const { token } = await links().emails.make(stored, email);
    return async () => (await restApi(app.url).verifyEmail({ token })).ok;
  },
};
type Thing = keyof typeof THINGS;

/** Begins everything. @returns how each is looked at */
async function begin(owner: Owner, names: readonly Thing[]): Promise<Map<Thing, () => Promise<boolean>>> {
  const begun = new Map<Thing, () => Promise<boolean>>();
  for (const name of names) {
    begun.set(name, await THINGS[name](owner));
  }
  return begun;
}

async function whatWorks(begun: Map<Thing, () => Promise<boolean>>): Promise<Thing[]> {
  const working: Thing[] = [];
  for (const [name, works] of begun) {
    if (await works()) {
      working.push(name);
    }
  }
  return working;
}

/** What the table says. */
function staysAfter(name: EndingAct): Thing[] {
  const { renews, tokens, removesLinks = false, clearsCounts = false } = endingsOf(name);
  const areLinksOver = renews === 'both' || removesLinks;
  return (Object.keys(THINGS) as Thing[]).filter((thing) => {
    if (thing === 'count of right logins') {
      return !clearsCounts;
    }
    if (thing === 'access token') {
      return tokens === 'none' || tokens === 'chosen';
    }
    return thing === 'reset link' || thing === 'proof link' ? !areLinksOver : renews === 'none';
  });
}

/** What proves an owner with an app; undefined without one. */
function code({ secretKey }: { secretKey: string }): string {
  nextCode();
  return secretKey && codeAt(secretKey);
}
/** Lets an account that an act has disabled be used again, without the act that does so. */
const reopen = ({ id }: Owner) =>
  app.database.accounts.updateOne(
    { _id: id },
    { $set: { disabledAt: null }, $unset: { erasureDueAt: true } },
  );
const replace = async (before: StoredAccount, after: StoredAccount) =>
  expect(await stores.accounts.bulk.replaceIfUnchanged([{ before, after }])).toEqual(new Set());

/** Changes an account in the console, whose acts need a fresh proof. */
async function asOperator(name: string, fields: Parameters<typeof changed>[3]): Promise<void> {
  operator = await proveAgain(app, operator);
  await changed(app, operator, name, fields);
}

/** How each act is done. @returns what has changed of the owner */
const DO: Record<EndingAct, (owner: Owner) => Promise<Partial<Owner> | undefined>> = {
  'password change': async (owner) => {
    const newPassword = freshPassword();
    const proof = { currentPassword: owner.password, code: code(owner) };
    done(await act('changePassword', { ...proof, newPassword, revokeOtherTokens: false }, owner.token));
    return { password: newPassword };
  },
  'password reset': async (owner) => {
    const { token } = await links().resets.make(await storedOf(owner), 'operator');
    const password = freshPassword();
    succeeded(await restApi(app.url).resetPassword({ token, newPassword: password }));
    return { password };
  },
  'e-mail change': async ({ id }) => {
    const email = freshEmail();
    await command('accounts', 'set-email', '--account', id, '--to', email);
    return { email };
  },
  'e-mail proof': async (owner) => {
    const { token } = await links().emails.make(await storedOf(owner));
    succeeded(await restApi(app.url).verifyEmail({ token }));
    await setProof(owner, false);
  },
  'second factor confirmation': async (owner) => {
    await setProof(owner, true);
    const renewed = await enrol(app.url, owner, { code: code(owner) });
    await setProof(owner, false);
    return renewed;
  },
  'second factor removal': async (owner) => {
    done(await act('disableTwoFactor', { password: owner.password, code: code(owner) }, owner.token));
  },
  'passkey addition': async (owner) => {
    await setProof(owner, true);
    await addPasskey(app.url, owner, undefined, { code: code(owner) });
    await setProof(owner, false);
  },
  'passkey removal': async (owner) => {
    const proof = { password: owner.password, code: code(owner) };
    expect((await withPasskey('removePasskey', { id: owner.otherPasskey, ...proof }, owner.token)).ok).toBe(
      true,
    );
  },
  'recovery codes': async (owner) => {
    done(await act('renewRecoveryCodes', { password: owner.password, code: code(owner) }, owner.token));
  },
  closing: async (owner) => {
    await asOperator('closeAccount', { account: owner.id });
    await reopen(owner);
  },
  logout: async ({ id }) => {
    succeeded(await restApi(app.url).logout(`Bearer ${await tokenFor(id)}`));
  },
  'own revocation': async ({ id }) => {
    const token = await tokenFor(id);
    const query = `mutation { revokeToken(id: "${tokenIdOf(token)}") }`;
    expect(await graphql(query, token)).toBe(200);
  },
  disabling: async (owner) => {
    await command('accounts', 'disable', '--account', owner.id);
    await reopen(owner);
  },
  enabling: async ({ id }) => {
    await app.database.accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } });
    await command('accounts', 'enable', '--account', id);
  },
  'operator’s revocation': async ({ id }) => {
    await asOperator('endSessions', { account: id });
  },
  'operator’s e-mail change request': async ({ id }) => {
    await asOperator('correctEmail', { account: id, email: freshEmail() });
  },
  'operator’s reset link': async ({ email }) => {
    await resetCodeOf(app, email);
  },
  'second factor reset': async ({ id }) => {
    await command('two-factor', 'remove', '--account', id, '--as', 'Ada', '--reason', 'Lost.');
  },
  unlocking: async ({ email }) => {
    await command('accounts', 'unlock', '--email', email);
  },
  'set-up': async (owner) => {
    const before = await storedOf(owner);
    const waiting = { ...before, disabledAt: new Date() };
    await replace(before, waiting);
    const turnedOn = { passwordHash: before.passwordHash, factors: { app: '-', codes: '-' } };
    expect(
      await stores.accounts.finishSetUp(await storedOf(owner), turnedOn, new Date(), A_NOTE),
    ).toBeDefined();
    await replace(await storedOf(owner), { ...(await storedOf(owner)), factors: before.factors ?? null });
  },
  'legacy password or e-mail': async (owner) => {
    const before = await storedOf(owner);
    // tests/legacy has the records for which a sync does so.
    await replace(before, renewed(before, 'legacy password or e-mail'));
  },
  'legacy absence': async (owner) => {
    const before = await storedOf(owner);
    const { disabledAt, emailKey } = before;
    await replace(before, asAbsent(before, new Date()));
    const $set = { disabledAt, emailKey };
    await app.database.accounts.updateOne({ _id: owner.id }, { $set, $unset: { legacyAbsence: true } });
  },
  'legacy return': async (owner) => {
    const { disabledAt, emailKey } = await storedOf(owner);
    const $set = { legacyAbsence: { since: new Date(), disabledAt } };
    await app.database.accounts.updateOne({ _id: owner.id }, { $set });
    const absent = await storedOf(owner);
    await replace(absent, asReturned(absent));
    expect(await storedOf(owner)).toMatchObject({ disabledAt, emailKey });
  },
};

async function graphql(query: string, token: string): Promise<number> {
  const headers = { 'content-type': 'application/json', ...bearer(token) };
  const { status, text } = await send(`${app.url}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  expect(text).not.toContain('"errors"');
  return status;
}

const EVERYTHING = Object.keys(THINGS) as Thing[];

test.each(Object.keys(ENDINGS) as EndingAct[])(
  '%s ends what the table says, and nothing else',
  async (name) => {
    const owner = await anOwner(name === 'passkey removal');
    const before = await begin(owner, EVERYTHING);
    const present = { ...owner, ...(await DO[name](owner)) };
    // Without factors and a password only the links are left to look at.
    const isReset = name === 'second factor reset';
    expect({ [name]: await whatWorks(before) }).toEqual({ [name]: staysAfter(name) });

    const left = EVERYTHING.filter((thing) =>
      isReset ? thing.endsWith('link') : thing !== 'login challenge' || name !== 'second factor removal',
    );
    await setProof(present, false);
    const { email } = await storedOf(present);
    const after = await begin({ ...present, email, token: await tokenFor(owner.id) }, left);
    expect({ [name]: await whatWorks(after) }).toEqual({ [name]: left });
  },
);

/** In a role that must have a second factor, a login without one gets a challenge to set it up. */
test.each([
  'password change',
  'password reset',
  'e-mail proof',
  'second factor confirmation',
  'passkey addition',
  'operator’s revocation',
] as const)('%s does to a challenge that sets up a second factor what it does to others', async (name) => {
  const person = await aStoredPerson(app.database);
  await setProof(person, false);
  const { email, password } = person;
  const { challenge } = await byRest(strict.url)('login', { email, password });
  await DO[name]({ ...person, secretKey: '' } as Owner);
  const { errors } = await byRest(strict.url)('enableTwoFactor', { challenge, password: freshPassword() });
  expect(Object.keys(errors)).toEqual([endingsOf(name).renews === 'none' ? 'password' : 'challenge']);
});

test.each(['password change', 'closing', 'second factor confirmation', 'operator’s revocation'] as const)(
  '%s does to the change of the e-mail that an operator has asked for what it does to links',
  async (name) => {
    const owner = await anOwner();
    const [stored, email] = [await storedOf(owner), freshEmail()];
    expect(await stores.accounts.requestEmailChange(stored, email, new Date(testClock.now()))).toBe(true);
    const { token } = await links().emails.make(stored, email);
    await DO[name](owner);
    const { ok } = await restApi(app.url).verifyEmail({ token });
    expect(ok).toBe(staysAfter(name).includes('proof link'));
  },
);

test('an owner cannot take back the change of the e-mail that an operator has asked for, for a day at most', async () => {
  const owner = await aStoredPerson(app.database);
  const { password } = owner;
  await asOperator('correctEmail', { account: owner.id, email: freshEmail() });
  const change = async () =>
    (await act('changeEmail', { email: freshEmail(), password }, await tokenFor(owner.id))).errors;
  const text =
    'An operator has changed the email address. Use the link that was mailed there, or ask the operator.';
  expect(await change()).toEqual({ email: [text] });
  testClock.move(DAY_MILLIS - 1);
  expect(await change()).toEqual({ email: [text] });
  testClock.move(1);
  expect(await change()).toEqual({});
  // A clock that was ahead when the operator asked blocks nobody.
  const at = new Date(testClock.now() + DAY_MILLIS);
  await stores.accounts.requestEmailChange(await storedOf(owner), freshEmail(), at);
  expect(await change()).toEqual({});
});

test('the end of everybody’s sessions ends what everybody has begun, and a login that is under way', async () => {
  const { email, password, secretKey } = await anOwner();
  const { challenge } = await act('login', { email, password });
  await command('tokens', 'revoke', '--everyone', '--yes');
  nextCode();
  const { errors } = await act('completeLogin', { challenge, code: codeAt(secretKey) });
  expect(Object.keys(errors)).toEqual(['challenge']);
});
