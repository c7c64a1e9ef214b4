import { randomBytes } from 'node:crypto';
import { levelOf } from '../../../src/auth/tokens/assurance.ts';
import { deviceOf } from '../../../src/auth/tokens/devices.ts';
import type { Algorithm } from '../../support/authenticator.ts';
import {
  accepted,
  addPasskey,
  anAuthenticator,
  aPasskeyOwner,
  confirmCredential,
  loginCredential,
  NOT_ACCEPTED,
  optionsOf,
  PASSKEYS,
  type PasskeyAct,
  passkeysThroughEach,
  RP_ID,
  type ShownPasskey,
} from '../../support/passkeys.ts';
import type { Fields } from '../../support/people.ts';
import { aStoredPerson, byRest, done } from '../../support/second-factor.ts';
import { accountOf, tokenIdOf } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp(PASSKEYS);
const off = useTestApp();

const REFUSED = { message: NOT_ACCEPTED, errors: { credential: [NOT_ACCEPTED] } };
const MINUTE = 60_000;
const tokenRecord = (token: string) => app.database.tokens.findOne({ _id: tokenIdOf(token) });

passkeysThroughEach((performAt) => {
  const act = (...words: Parameters<ReturnType<typeof performAt>>) => performAt(app.url)(...words);
  const login = async (...words: [ReturnType<typeof anAuthenticator>, object?]) =>
    act('loginWithPasskey', { credential: await loginCredential(app.url, ...words) });
  type Owner = Awaited<ReturnType<typeof aPasskeyOwner>>;
  const listed = async ({ token }: Pick<Owner, 'token'>) =>
    accepted<{ userHandle: string | null; passkeys: ShownPasskey[] }>(await act('myPasskeys', {}, token));

  test('a passkey is added, shown, renamed, used and removed', async () => {
    const person = await aStoredPerson(app.database);
    expect(await listed(person)).toEqual({ userHandle: null, passkeys: [] });
    const options = optionsOf(await act('passkeyAddOptions', { password: person.password }, person.token));
    expect(options).toMatchObject({
      rp: { id: RP_ID, name: RP_ID },
      user: { name: person.email, displayName: person.name },
      timeout: 300_000,
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
    });
    const handle = String(options.user?.id);
    expect(Buffer.from(handle, 'base64url')).toHaveLength(32);
    const authenticator = anAuthenticator({ backup: { eligible: true, done: true } });
    const { id, ...added } = accepted<ShownPasskey>(
      await act('addPasskey', { credential: authenticator.create(options), name: ' My key ' }, person.token),
    );
    const { credentialId } = authenticator;
    expect(added).toEqual({
      ...{ credentialId, name: 'My key', createdAt: expect.any(String), lastUsedAt: null, backedUp: true },
    });
    expect(await listed(person)).toEqual({ userHandle: handle, passkeys: [{ id, ...added }] });
    const { token, ...opened } = accepted<{ token: string }>(await login(authenticator));
    expect(JSON.stringify(opened)).toContain(person.email);
    const record = await tokenRecord(token);
    expect(record?.amr).toEqual(['pop', 'user', 'mfa']);
    expect(levelOf(record ?? {})).toBe('aal2');
    // The session of the registration has not ended.
    expect(await accountOf(app.url, person.token)).toMatchObject({ id: person.id });
    const renamed = accepted<ShownPasskey>(await act('renamePasskey', { id, name: 'Tablet' }, token));
    expect(renamed).toMatchObject({ id, name: 'Tablet', lastUsedAt: expect.any(String) });
    const wrong = await act('removePasskey', { id, password: 'wrong' }, token);
    expect(wrong.errors).toEqual({ password: ['The password is incorrect.'] });
    accepted(await act('removePasskey', { id, password: person.password }, token));
    expect(await listed({ token })).toEqual({ userHandle: handle, passkeys: [] });
    expect(await login(authenticator)).toMatchObject({ ...REFUSED, isUnknown: true });
    expect(await app.database.db.collection('passkeys').countDocuments({ accountId: person.id })).toBe(0);
  });

  test('a second passkey has the same user handle and excludes the first; a name comes from the browser', async () => {
    const owner = await aPasskeyOwner(app.url);
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const withAgent = performAt(app.url, { 'User-Agent': userAgent });
    const options = optionsOf(
      await withAgent('passkeyAddOptions', { password: owner.password }, owner.token),
    );
    expect(options.user?.id).toBe((await listed(owner)).userHandle);
    const transports = ['hybrid', 'internal'];
    expect(options.excludeCredentials).toEqual([
      { id: owner.authenticator.credentialId, type: 'public-key', transports },
    ]);
    const second = anAuthenticator();
    const { name } = accepted<ShownPasskey>(
      await withAgent('addPasskey', { credential: second.create(options) }, owner.token),
    );
    expect(name).toBe(deviceOf(userAgent));
    expect((await listed(owner)).passkeys).toHaveLength(2);
    accepted(await login(second));
    accepted(await login(owner.authenticator));
  });

  test.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])('%s keys are taken', async (algorithm) => {
    accepted(await login((await aPasskeyOwner(app.url, { algorithm })).authenticator));
  });

  test('a very long credential id is taken', async () => {
    accepted(await login((await aPasskeyOwner(app.url, { credentialId: randomBytes(1_023) })).authenticator));
  });

  test('the password login does not change', async () => {
    const { email, password } = await aPasskeyOwner(app.url);
    const opened = done<{ token: string }>(await byRest(app.url)('login', { email, password }));
    expect((await tokenRecord(opened.token))?.amr).toEqual(['pwd']);
  });

  test.each([null, ''])(
    'a passkey with the handle %j steps a session up, and the former token ends',
    async (handle) => {
      const { authenticator, token } = await aPasskeyOwner(app.url);
      const options = optionsOf(await act('passkeyConfirmOptions', {}, token));
      expect(options.allowCredentials).toMatchObject([{ id: authenticator.credentialId }]);
      // Not every authenticator sends the user handle for a passkey that is named. Safari may send an empty one.
      const credential = authenticator.get(options, { userHandle: handle });
      const next = accepted<{ token: string }>(await act('stepUp', { credential }, token));
      expect((await tokenRecord(next.token))?.amr).toEqual(['pop', 'user', 'mfa']);
      expect(await accountOf(app.url, token)).toBeUndefined();
      const again = await act('stepUp', { credential }, next.token);
      expect(again).toMatchObject({ ...REFUSED, isUnknown: false });
    },
  );

  test('a passkey takes the place of the password where one is asked for', async () => {
    const { authenticator, token, email } = await aPasskeyOwner(app.url);
    const credential = () => confirmCredential(app.url, authenticator, token);
    const { authenticator: second, passkey } = await addPasskey(app.url, { token }, anAuthenticator(), {
      credential: await credential(),
    });
    const codes = done<{ recoveryCodes: string[] }>(
      await byRest(app.url)('renewRecoveryCodes', { credential: await credential() }, token),
    );
    expect(codes.recoveryCodes).toHaveLength(10);
    accepted(await act('removePasskey', { id: passkey.id, credential: await credential() }, token));
    expect(await login(second)).toMatchObject({ isUnknown: true });
    const newPassword = `new ${randomBytes(8).toString('hex')}`;
    done(
      await byRest(app.url)(
        'changePassword',
        { credential: await credential(), newPassword, passwordConfirmation: newPassword },
        token,
      ),
    );
    done(await byRest(app.url)('login', { email, password: newPassword }));
    // A new password ends no passkey.
    accepted(await login(authenticator));
  });

  test('one purpose never serves another, and one account never another', async () => {
    const [owner, other] = [await aPasskeyOwner(app.url), await aPasskeyOwner(app.url)];
    const ofLogin = await loginCredential(app.url, owner.authenticator);
    const ofConfirm = await confirmCredential(app.url, owner.authenticator, owner.token);
    const ofOther = await confirmCredential(app.url, other.authenticator, other.token);
    const add = optionsOf(await act('passkeyAddOptions', { password: owner.password }, owner.token));
    const options = optionsOf(await act('passkeyAddOptions', { password: other.password }, other.token));
    const attempts: [PasskeyAct, object, string?][] = [
      ['loginWithPasskey', ofConfirm],
      ['loginWithPasskey', owner.authenticator.get(add)],
      ['stepUp', ofLogin, owner.token],
      ['stepUp', ofOther, owner.token],
      ['stepUp', owner.authenticator.get(add), owner.token],
      ['addPasskey', anAuthenticator().create(options), owner.token],
      ['addPasskey', anAuthenticator().create(optionsOf(await act('passkeyLoginOptions'))), owner.token],
      [
        'addPasskey',
        anAuthenticator().create(optionsOf(await act('passkeyConfirmOptions', {}, owner.token))),
        owner.token,
      ],
    ];
    for (const [name, credential, token] of attempts) {
      expect(await act(name, { credential }, token)).toMatchObject({ ...REFUSED, isUnknown: false });
    }
    // What was refused has used nothing up.
    accepted(await act('loginWithPasskey', { credential: ofLogin }));
    accepted(await act('stepUp', { credential: ofConfirm }, owner.token));
  });

  test('challenges end: those of a login after ten minutes, others after five', async () => {
    const { authenticator, token, password } = await aPasskeyOwner(app.url);
    const [early, late] = [
      await loginCredential(app.url, authenticator),
      await loginCredential(app.url, authenticator),
    ];
    const confirm = [1, 2].map(() => confirmCredential(app.url, authenticator, token));
    const [inTime, tooLate] = await Promise.all(confirm);
    const adding = optionsOf(await act('passkeyAddOptions', { password }, token));
    testClock.move(5 * MINUTE - 1_000);
    const { token: next } = accepted<{ token: string }>(await act('stepUp', { credential: inTime }, token));
    testClock.move(2_000);
    expect(await act('stepUp', { credential: tooLate }, next)).toMatchObject(REFUSED);
    expect(await act('addPasskey', { credential: anAuthenticator().create(adding) }, next)).toMatchObject(
      REFUSED,
    );
    testClock.move(5 * MINUTE - 3_000);
    accepted(await act('loginWithPasskey', { credential: early }));
    testClock.move(3_000);
    expect(await act('loginWithPasskey', { credential: late })).toMatchObject(REFUSED);
  });

  test('the challenge of an addition ends with another password', async () => {
    const { password, token } = await aPasskeyOwner(app.url);
    const options = optionsOf(await act('passkeyAddOptions', { password }, token));
    const newPassword = `new ${randomBytes(8).toString('hex')}`;
    done(
      await byRest(app.url)(
        'changePassword',
        { currentPassword: password, newPassword, passwordConfirmation: newPassword },
        token,
      ),
    );
    expect(await act('addPasskey', { credential: anAuthenticator().create(options) }, token)).toMatchObject(
      REFUSED,
    );
  });

  test('an account has at most 20', async () => {
    const { token, password, id } = await aPasskeyOwner(app.url);
    const options = optionsOf(await act('passkeyAddOptions', { password }, token));
    const ids = Array.from({ length: 20 }, (_, index) => `${index}`);
    await app.database.accounts.updateOne({ _id: id }, { $set: { 'passkeys.ids': ids } });
    const full = { credential: ['The account has 20 passkeys already. Remove one first.'] };
    expect((await act('passkeyAddOptions', { password }, token)).errors).toEqual(full);
    expect(
      (await act('addPasskey', { credential: anAuthenticator().create(options) }, token)).errors,
    ).toEqual(full);
  });

  test('the key of one account cannot be added to another', async () => {
    const [owner, other] = [await aPasskeyOwner(app.url), await aStoredPerson(app.database)];
    const options = optionsOf(await act('passkeyAddOptions', { password: other.password }, other.token));
    const credential = owner.authenticator.create(options);
    expect(await act('addPasskey', { credential }, other.token)).toMatchObject({
      ...REFUSED,
      isUnknown: false,
    });
    expect((await listed(other)).passkeys).toEqual([]);
  });

  test('a passkey of somebody else is neither renamed nor removed', async () => {
    const [owner, other] = [await aPasskeyOwner(app.url), await aPasskeyOwner(app.url)];
    for (const id of [other.passkey.id, 'none', '{"$ne":""}']) {
      const renamed = await act('renamePasskey', { id, name: 'Mine' }, owner.token);
      const removed = await act('removePasskey', { id, password: owner.password }, owner.token);
      expect([renamed.ok, removed.ok]).toEqual([false, false]);
    }
    const { id, name } = other.passkey;
    expect((await listed(other)).passkeys).toMatchObject([{ id, name }]);
  });

  test('a disabled account is refused like any other passkey', async () => {
    const { authenticator, id } = await aPasskeyOwner(app.url);
    await app.database.accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } });
    expect(await login(authenticator)).toMatchObject({ ...REFUSED, isUnknown: false });
  });

  test('without PASSKEY_RP_ID there is nothing', async () => {
    const { token, password } = await aStoredPerson(off.database);
    const inputs = {
      ...{
        passkeyLoginOptions: {},
        passkeyConfirmOptions: {},
        myPasskeys: {},
        passkeyAddOptions: { password },
      },
      ...{ loginWithPasskey: { credential: {} }, addPasskey: { credential: {} } },
      ...{ renamePasskey: { id: 'x', name: 'x' }, removePasskey: { id: 'x', password } },
    } satisfies Partial<Record<PasskeyAct, object>>;
    for (const [name, fields] of Object.entries(inputs) as [PasskeyAct, Fields][]) {
      const { ok, message } = await performAt(off.url)(name, fields, token);
      expect({ name, ok, message }).toEqual({ name, ok: false, message: 'Passkeys are not set up here.' });
    }
    // A password still does what it did, whatever lies beside it.
    const { message } = await byRest(off.url)(
      'changePassword',
      { credential: {}, newPassword: 'battery staple 9' },
      token,
    );
    expect(message).toBe(NOT_ACCEPTED);
  });
});
