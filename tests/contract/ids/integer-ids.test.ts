import { MyTokensDocument, RevokeTokenDocument } from '../../../packages/client/src/generated/graphql.ts';
import {
  authenticated,
  expectInvalid,
  refused,
  registeredDoctor,
  succeeded,
} from '../../support/expectations.ts';
import { execute } from '../../support/graphql-api.ts';
import { jsonOf } from '../../support/http.ts';
import { importAccount, importToken, sanctumSecret } from '../../support/legacy.ts';
import { aDoctor, aPatient, EMPTY_PROFILE } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf, bearer, tokenIdOf } from '../../support/session.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

// The setting of an operator who has moved in from a legacy service: new ids continue where its numbers ended.
const app = useTestApp({ ID_FORMAT: 'integer' });

/** The number of a block of ids, as the counters have it. */
const BLOCK = 100;

/** The largest number that is taken or reserved in a collection. */
async function counterOf(collection: 'accounts' | 'access_tokens'): Promise<number> {
  const counter = await app.database.db
    .collection<{ _id: string; value: number }>('counters')
    .findOne({ _id: collection });
  return counter?.value ?? Number.NaN;
}

/** The number of the account that registers next. */
async function nextAccountId(): Promise<number> {
  const { account } = authenticated(await restApi(app.url).registerPatient(aPatient()));
  return Number(account.id) + 1;
}

const anImportedProfile = (_id: string) => ({
  _id,
  specialization: 'Surgery',
  licenseNumber: 'L-1',
  licenseFilePath: `doctor_profiles/licenses/${'l'.repeat(40)}.pdf`,
  diplomaFilePath: `doctor_profiles/diplomas/${'d'.repeat(40)}.pdf`,
  certificationFilePath: null,
  ...EMPTY_PROFILE,
  createdAt: new Date(),
});

test('REST answers ids as JSON numbers, GraphQL as texts', async () => {
  const patient = aPatient();
  const registered = await restApi(app.url).registerPatient(patient);
  const { id } = jsonOf<{ data: { id: number } }>(registered.http).data;
  expect(Number.isSafeInteger(id)).toBe(true);
  const login = await restApi(app.url).login(patient);
  expect(login.http.text).toContain(`"data":{"id":${id},`);
  const doctor = await restApi(app.url).registerDoctor(aDoctor());
  expect(doctor.http.text).toMatch(/^\{"data":\{"account":\{"id":[1-9]\d*,/);
  expect((await accountOf(app.url, authenticated(login).token))?.id).toBe(String(id));
});

test('the ids of new accounts and tokens are numbers, and each is another one', async () => {
  const api = restApi(app.url);
  const outcomes = await Promise.all([
    ...Array.from({ length: 5 }, () => api.registerPatient(aPatient())),
    ...Array.from({ length: 2 }, () => api.registerDoctor(aDoctor())),
  ]);
  const sessions = outcomes.map(authenticated);
  const accounts = sessions.map(({ account }) => String(account.id));
  const tokens = sessions.map(({ token }) => tokenIdOf(token));
  for (const ids of [accounts, tokens]) {
    expect(new Set(ids).size).toBe(sessions.length);
    expect(ids.filter((id) => !/^[1-9]\d*$/.test(id))).toEqual([]);
  }
  for (const { account, token } of sessions) {
    expect(await accountOf(app.url, token)).toMatchObject({ id: String(account.id) });
  }
});

test('a token with a number is listed, revoked by its id, and logged out', async () => {
  const api = restApi(app.url);
  const patient = aPatient();
  const { token: kept } = authenticated(await api.registerPatient(patient));
  const { token: other } = authenticated(await api.login(patient));
  const listed = await execute(app.url, MyTokensDocument, {}, bearer(kept));
  expect(listed.body.data?.myTokens.map(({ id }) => id).sort()).toEqual([kept, other].map(tokenIdOf).sort());
  const revoked = await execute(app.url, RevokeTokenDocument, { id: tokenIdOf(other) }, bearer(kept));
  expect(revoked.body.data?.revokeToken).toBe(true);
  succeeded(await api.logout(`Bearer ${kept}`));
  expect(await accountOf(app.url, kept)).toBeUndefined();
});

test('an imported account with the next number is not touched, and a patient gets a later number', async () => {
  const api = restApi(app.url);
  const taken = await nextAccountId();
  const imported = await importAccount(app.database, String(taken));
  const token = await importToken(app.database, { id: `of-${taken}`, accountId: imported.id });

  const { account, token: own } = authenticated(await api.registerPatient(aPatient()));
  expect(Number(account.id)).toBeGreaterThan(taken);
  expect(await accountOf(app.url, own)).toMatchObject({ id: String(account.id) });
  expect(authenticated(await api.login(imported)).account).toMatchObject({ email: imported.email });
  expect(await accountOf(app.url, token)).toMatchObject({ email: imported.email });
  expect(await app.database.tokens.countDocuments({ accountId: imported.id })).toBe(2);
});

test('an imported doctor with the next number keeps the profile, and a new doctor gets a later number', async () => {
  const api = restApi(app.url);
  const taken = await nextAccountId();
  const imported = await importAccount(app.database, String(taken));
  await app.database.accounts.updateOne({ _id: imported.id }, { $set: { role: 'doctor' } });
  await app.database.profiles.insertOne(anImportedProfile(imported.id));
  const before = await inventoryOf(app);

  const { account, token } = registeredDoctor(await api.registerDoctor(aDoctor()));
  expect(Number(account.id)).toBeGreaterThan(taken);
  expect((await accountOf(app.url, token))?.profile?.specialization).toBe('Cardiology');
  expect(await app.database.profiles.findOne({ _id: imported.id })).toMatchObject({
    specialization: 'Surgery',
  });
  const after = await inventoryOf(app);
  expect(after.documents).toHaveLength(before.documents.length + 3);
  expect(after).toMatchObject({
    accounts: before.accounts + 1,
    profiles: before.profiles + 1,
    tokens: before.tokens + 1,
  });
});

test('an imported doctor with the next number and no profile gets none from a new doctor', async () => {
  const api = restApi(app.url);
  const taken = await nextAccountId();
  const imported = await importAccount(app.database, String(taken));
  await app.database.accounts.updateOne({ _id: imported.id }, { $set: { role: 'doctor' } });
  registeredDoctor(await api.registerDoctor(aDoctor()));
  expect(await app.database.profiles.findOne({ _id: imported.id })).toBeNull();
  expect(await app.database.tokens.countDocuments({ accountId: imported.id })).toBe(0);
});

test('an imported token with the next number is not touched, and a login gets a later number', async () => {
  const api = restApi(app.url);
  const patient = aPatient();
  const { token } = authenticated(await api.registerPatient(patient));
  const taken = String(Number(tokenIdOf(token)) + 1);
  const imported = await importAccount(app.database, `owner of ${taken}`);
  const secret = sanctumSecret('', 'i'.repeat(40));
  const theirs = await importToken(app.database, { id: taken, accountId: imported.id, secret });

  const { token: own } = authenticated(await api.login(patient));
  expect(Number(tokenIdOf(own))).toBeGreaterThan(Number(taken));
  expect(await accountOf(app.url, theirs)).toMatchObject({ email: imported.email });
  expect(await accountOf(app.url, own)).toMatchObject({ email: patient.email });
});

test('a taken e-mail is still told from a taken id', async () => {
  const api = restApi(app.url);
  const patient = aPatient();
  authenticated(await api.registerPatient(patient));
  expectInvalid(await api.registerPatient(patient), { email: ['The email has already been taken.'] });
});

test('a registration is refused with 503 and leaves nothing if all next ids are taken', async () => {
  const api = restApi(app.url);
  const next = await nextAccountId();
  const counter = await counterOf('accounts');
  const taken = [next, ...Array.from({ length: 10 }, (_, block) => counter + block * BLOCK + 1)];
  for (const id of taken) {
    await importAccount(app.database, String(id));
  }
  const before = await inventoryOf(app);
  refused(await api.registerDoctor(aDoctor()), 'unavailable');
  expect(await inventoryOf(app)).toEqual(before);
  // Other numbers of these blocks are free.
  await app.database.accounts.deleteMany({ _id: { $in: taken.map(String) } });
  authenticated(await api.registerPatient(aPatient()));
});

test('REST answers an imported id that is no exact number as a text', async () => {
  for (const id of [
    '007',
    '6650f1c2a4b3d2e1f0a9b8c6',
    '123456789012345678901234',
    '9007199254740993',
    '-1',
    '1e3',
  ]) {
    const imported = await importAccount(app.database, id);
    const { http } = await restApi(app.url).login(imported);
    expect(jsonOf<{ data: { id: unknown } }>(http).data.id).toBe(id);
    await app.database.accounts.deleteOne({ _id: id });
  }
  const imported = await importAccount(app.database, '9007199254740991');
  const { http } = await restApi(app.url).login(imported);
  expect(http.text).toContain('"id":9007199254740991,');
});
