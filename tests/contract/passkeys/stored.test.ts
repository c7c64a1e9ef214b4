import { DeleteMyAccountDocument } from '../../../packages/client/src/generated/graphql.ts';
import { execute } from '../../support/graphql-api.ts';
import {
  accepted,
  anAuthenticator,
  aPasskeyOwner,
  confirmCredential,
  loginCredential,
  PASSKEYS,
  passkeysByRest,
} from '../../support/passkeys.ts';
import { exportData } from '../../support/privacy.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { byRest, done } from '../../support/second-factor.ts';
import { bearer } from '../../support/session.ts';
import { createTestApp, useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

const app = useTestApp(PASSKEYS);
const login = async (authenticator: ReturnType<typeof anAuthenticator>, url = app.url) =>
  passkeysByRest(url)('loginWithPasskey', { credential: await loginCredential(url, authenticator) });

test('a record that the account does not name gives nothing, as after a kill', async () => {
  const { authenticator, id, token } = await aPasskeyOwner(app.url);
  await app.database.accounts.updateOne({ _id: id }, { $set: { 'passkeys.ids': [] } });
  expect(await login(authenticator)).toMatchObject({ ok: false, isUnknown: true });
  expect(accepted(await passkeysByRest(app.url)('myPasskeys', {}, token))).toMatchObject({ passkeys: [] });
});

test('an id without its record is not shown, and opens nothing', async () => {
  const { id, token, email, password } = await aPasskeyOwner(app.url);
  await app.database.db.collection('passkeys').deleteMany({ accountId: id });
  expect(accepted(await passkeysByRest(app.url)('myPasskeys', {}, token))).toMatchObject({ passkeys: [] });
  done(await byRest(app.url)('login', { email, password }));
});

test.each([5, 'text', [], { ids: 7 }, { handle: 7, ids: [1, null] }, { ids: { $gt: '' } }])(
  'an account with the passkeys %j has none, and its password works',
  async (passkeys) => {
    const { authenticator, id, email, password } = await aPasskeyOwner(app.url);
    await app.database.db
      .collection<{ _id: string }>('accounts')
      .updateOne({ _id: id }, { $set: { passkeys } });
    expect(await login(authenticator)).toMatchObject({ ok: false, isUnknown: true });
    done(await byRest(app.url)('login', { email, password }));
  },
);

test('an export has the passkeys, and no key', async () => {
  const { passkey, token } = await aPasskeyOwner(app.url);
  const exported = await exportData(app.url, token);
  const { id, name } = passkey;
  expect(JSON.stringify(exported)).toContain(`"passkeys":[{"id":"${id}"`);
  expect(JSON.stringify(exported)).toContain(name);
  expect(JSON.stringify(exported)).not.toContain('publicKey');
});

test('a passkey closes the account in place of the password', async () => {
  const { authenticator, token, id } = await aPasskeyOwner(app.url);
  const credential = await confirmCredential(app.url, authenticator, token);
  const { body } = await execute(app.url, DeleteMyAccountDocument, { input: { credential } }, bearer(token));
  expect(body.errors).toBeUndefined();
  expect((await app.database.accounts.findOne({ _id: id }))?.erasureDueAt).toBeInstanceOf(Date);
  expect(await login(authenticator)).toMatchObject({ ok: false, isUnknown: false });
});

test('the start warns of passkeys that cannot work', async () => {
  await aPasskeyOwner(app.url);
  const database = app.database.uri;
  const other = await createTestApp({ PASSKEY_RP_ID: 'example.com', MONGODB_URI: database });
  expect(other.log.join('')).toContain('PASSKEY_RP_ID was another one when these passkeys were added');
  await other.stop();
});
