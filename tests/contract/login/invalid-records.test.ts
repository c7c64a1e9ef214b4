import { randomUUID } from 'node:crypto';
import {
  MeDocument,
  MyTokensDocument,
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from '../../../packages/client/src/generated/graphql.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { execute } from '../../support/graphql-api.ts';
import { comparable } from '../../support/http.ts';
import { importAccount, importToken } from '../../support/legacy.ts';
import { aDoctor, aPatient, freshPassword } from '../../support/people.ts';
import { auditEvents } from '../../support/privacy.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf, bearer, tokenIdOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

// Other programs write to the database, too: an import, an operator. If the APIs cannot show an account, its login is refused.
const app = useTestApp();

const $set = (field: string, value: unknown) => ({ $set: { [field]: value } });
const $unset = (field: string) => ({ $unset: { [field]: 1 } });

/** Changes one record of a collection like another program, without the rules of the models. */
async function change(collection: string, _id: string, update: object): Promise<void> {
  const { modifiedCount } = await app.database.db
    .collection<{ _id: string }>(collection)
    .updateOne({ _id }, update);
  expect(modifiedCount).toBe(1);
}

/** The log lines about refused logins to an account. */
const warningsOf = (accountId: string): object[] =>
  app.log
    .filter((line) => line.includes(accountId))
    .map((line) => JSON.parse(line) as { level: number; accountId?: string; msg: string; reason?: string })
    .filter((line) => line.accountId === accountId && line.msg.startsWith('a login was refused'));

const WARN = 40;

const reasonsOf = (accountId: string) =>
  auditEvents(app)
    .find({ accountId, act: 'login', outcome: 'failure' })
    .sort({ _id: 1 })
    .map(({ reason }) => reason)
    .toArray();

const ACCOUNT_FLAWS: [string, object][] = [
  ['another role', $set('role', 'admin')],
  ['a role in capitals', $set('role', 'PATIENT')],
  ['a role of another type', $set('role', ['patient'])],
  ['a role of null', $set('role', null)],
  ['no role', $unset('role')],
  ['a name of null', $set('name', null)],
  ['a name of another type', $set('name', { first: 'Ann' })],
  ['no name', $unset('name')],
  ['an e-mail of null', $set('email', null)],
  ['no e-mail', $unset('email')],
  ['a telephone number of another type', $set('phone', 42)],
  ['a text as the time of creation', $set('createdAt', '2024-02-29')],
  ['a text as the time of its last change', $set('updatedAt', '2024-02-29')],
  ['a number in place of the language', $set('language', 7)],
  ['a time as the date of birth', $set('dateOfBirth', new Date(0))],
];

const PROFILE_FLAWS: [string, object][] = [
  ['no specialization', $set('specialization', null)],
  ['no license number', $unset('licenseNumber')],
  ['no license', $set('licenseFilePath', null)],
  ['an empty path to the license', $set('licenseFilePath', '')],
  ['no diploma', $unset('diplomaFilePath')],
  ['a number in place of the certification', $set('certificationFilePath', 7)],
  ['a list in place of the publications', $set('publications', ['one'])],
];

test.each(ACCOUNT_FLAWS)(
  'an account with %s cannot log in, and its tokens are not valid',
  async (_flaw, update) => {
    const api = restApi(app.url);
    const patient = aPatient();
    const { account, token } = authenticated(await api.registerPatient(patient));
    await change('accounts', account.id, update);

    const wrong = refused(await api.login({ ...patient, password: freshPassword() }), 'credentials');
    const invalid = refused(await api.login(patient), 'credentials');
    expect(comparable(invalid.http)).toEqual(comparable(wrong.http));
    expect(await accountOf(app.url, token)).toBeUndefined();
    refused(await api.logout(`Bearer ${token}`), 'unauthenticated');

    const [field] = Object.keys(Object.values(update)[0]);
    expect(warningsOf(account.id)).toEqual([
      expect.objectContaining({ level: WARN, reason: expect.stringMatching(new RegExp(`^${field} is `)) }),
    ]);
    await eventually(async () => {
      const reason = expect.stringMatching(new RegExp(`^account cannot be shown: ${field} is `));
      expect(await reasonsOf(account.id)).toEqual(['wrong password', reason]);
    });
  },
);

test.each([
  ['no time of creation', $unset('createdAt')],
  ['a time of creation of null', $set('createdAt', null)],
  ['no date of birth', $unset('dateOfBirth')],
  ['no time of its last change', $unset('updatedAt')],
  ['a time of its last change of null', $set('updatedAt', null)],
  ['no word of whether it is disabled', $unset('disabledAt')],
])('an account with %s logs in, and its tokens are valid', async (_case, update) => {
  const api = restApi(app.url);
  const patient = aPatient();
  const { account, token } = authenticated(await api.registerPatient(patient));
  await change('accounts', account.id, update);
  expect(authenticated(await api.login(patient)).account).toEqual(account);
  expect(await accountOf(app.url, token)).toMatchObject({ id: account.id });
});

test.each(PROFILE_FLAWS)('a doctor with %s cannot log in', async (_flaw, update) => {
  const api = restApi(app.url);
  const doctor = aDoctor();
  const { account, token } = registeredDoctor(await api.registerDoctor(doctor));
  await change('doctor_profiles', account.id, update);

  const wrong = refused(await api.login({ ...doctor, password: freshPassword() }), 'credentials');
  const invalid = refused(await api.login(doctor), 'credentials');
  expect(comparable(invalid.http)).toEqual(comparable(wrong.http));
  // A token from before the change shows nothing of the profile.
  const { body } = await execute(app.url, MeDocument, {}, bearer(token));
  expect(body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  expect(warningsOf(account.id)).toMatchObject([
    { level: WARN, reason: expect.stringMatching(/^profile: /) },
  ]);
});

test('an account whose id is a number cannot log in', async () => {
  const api = restApi(app.url);
  const patient = aPatient();
  const { account } = authenticated(await api.registerPatient(patient));
  const stored = await app.database.accounts.findOneAndDelete({ _id: account.id });
  await app.database.db.collection<{ _id: number }>('accounts').insertOne({ ...stored, _id: 7 });
  refused(await api.login(patient), 'credentials');
  await app.database.db.collection<{ _id: number }>('accounts').deleteOne({ _id: 7 });
});

test('the token of an imported administrator opens nothing through either API, and changes nothing', async () => {
  const api = restApi(app.url);
  const admin = await importAccount(app.database, randomUUID());
  await change('accounts', admin.id, $set('role', 'admin'));
  const token = await importToken(app.database, { id: randomUUID(), accountId: admin.id });
  await importToken(app.database, { id: randomUUID(), accountId: admin.id });

  refused(await api.login(admin), 'credentials');
  refused(await api.logout(`Bearer ${token}`), 'unauthenticated');
  expect(await accountOf(app.url, token)).toBeUndefined();
  for (const [document, variables] of [
    [MyTokensDocument, {}],
    [RevokeTokenDocument, { id: tokenIdOf(token) }],
    [RevokeOtherTokensDocument, {}],
  ] as const) {
    const { body } = await execute<unknown>(app.url, document, variables, bearer(token));
    expect(body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  }
  expect(await app.database.tokens.countDocuments({ accountId: admin.id })).toBe(2);
});

test('an account whose record is corrected can log in again, and its tokens are valid', async () => {
  const api = restApi(app.url);
  const patient = aPatient();
  const { account, token } = authenticated(await api.registerPatient(patient));
  await change('accounts', account.id, $set('role', 'admin'));
  refused(await api.login(patient), 'credentials');
  await change('accounts', account.id, $set('role', 'patient'));
  authenticated(await api.login(patient));
  expect(await accountOf(app.url, token)).toMatchObject({ role: 'PATIENT' });
});

test.each([
  ['null', $set('certificationFilePath', null)],
  ['missing', $unset('certificationFilePath')],
  ['empty', $set('certificationFilePath', '')],
])('a doctor whose certification is %s logs in, and has null for its URL', async (_case, update) => {
  const api = restApi(app.url);
  const doctor = aDoctor();
  const { account } = registeredDoctor(await api.registerDoctor(doctor));
  await change('doctor_profiles', account.id, update);
  const { token } = authenticated(await api.login(doctor));
  const profile = (await accountOf(app.url, token))?.profile;
  expect(profile).toMatchObject({
    licenseFileUrl: expect.stringContaining('/storage/licenses/'),
    diplomaFileUrl: expect.stringContaining('/storage/diplomas/'),
    certificationUrl: null,
  });
});

test('a doctor without a profile logs in and has a null profile', async () => {
  const api = restApi(app.url);
  const doctor = aDoctor();
  const { account } = registeredDoctor(await api.registerDoctor(doctor));
  await app.database.profiles.deleteOne({ _id: account.id });
  const { token } = authenticated(await api.login(doctor));
  expect(await accountOf(app.url, token)).toMatchObject({ role: 'DOCTOR', profile: null });
});

describe('an access token', () => {
  /** Registers a patient and logs in: two tokens. */
  async function twoTokens() {
    const patient = aPatient();
    const api = restApi(app.url);
    const first = authenticated(await api.registerPatient(patient)).token;
    const second = authenticated(await api.login(patient)).token;
    return { first, second };
  }

  test.each([
    ['a name of null', $set('name', null)],
    ['no name', $unset('name')],
    ['a text as its abilities', $set('abilities', 'create')],
    ['abilities that are no texts', $set('abilities', ['create', 7])],
    ['a text as the time of issue', $set('createdAt', '2024-02-29')],
    ['a text as the time of use', $set('lastUsedAt', '2024-02-29')],
    ['a text as the expiry', $set('expiresAt', '2999-01-01')],
    ['no digest of its secret', $set('secretHash', null)],
  ])(
    'an access token with %s is not valid, and the other tokens can still be listed',
    async (_flaw, update) => {
      const { first, second } = await twoTokens();
      await change('access_tokens', tokenIdOf(first), update);
      expect(await accountOf(app.url, first)).toBeUndefined();
      const { body } = await execute(app.url, MyTokensDocument, {}, bearer(second));
      expect(body.errors).toBeUndefined();
      expect(body.data?.myTokens.map(({ id }) => id)).toEqual([tokenIdOf(second)]);
    },
  );

  test.each<[string, object]>([
    ['no time of issue', $set('createdAt', null)],
    ['no abilities', $unset('abilities')],
  ])('an access token with %s is valid', async (_case, update) => {
    const { first } = await twoTokens();
    await app.database.db
      .collection<{ _id: string }>('access_tokens')
      .updateOne({ _id: tokenIdOf(first) }, update);
    expect(await accountOf(app.url, first)).toBeDefined();
  });
});
