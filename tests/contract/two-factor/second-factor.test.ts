import { authenticated } from '../../support/expectations.ts';
import { jsonOf, send } from '../../support/http.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  codeAt,
  enrol,
  nextCode,
  post,
  stateOf,
  TWO_FACTOR,
  wrongCode,
} from '../../support/second-factor.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp(TWO_FACTOR);
const off = useTestApp();

async function somebody() {
  const patient = aPatient();
  const { account, token } = authenticated(await restApi(app.url).registerPatient(patient));
  return { ...patient, id: String(account.id), token };
}

async function enrolled() {
  const person = await somebody();
  return { ...person, first: person.token, ...(await enrol(app.url, person)) };
}

type Person = Awaited<ReturnType<typeof enrolled>>;

const login = ({ email, password }: Pick<Person, 'email' | 'password'>, proof: object = {}) =>
  post(app.url, 'login', { email, password, ...proof });

interface ChallengeBody {
  message: string;
  errors: Record<string, string[]>;
  two_factor?: boolean;
  challenge: string;
  methods: string[];
  expires_at: string;
}

const REQUIRED = 'A two factor authentication code is required.';
const WRONG = 'The provided two factor authentication code was invalid.';
const WRONG_RECOVERY = 'The provided two factor recovery code was invalid.';
const USED = 'This code was already used. Wait for the next one.';
const INVALID_CHALLENGE = 'This challenge is invalid or has expired. Log in again.';

test('an account without a second factor notices nothing, whatever its login carries', async () => {
  const person = await somebody();
  for (const code of [1, '000000', [], { a: 1 }, null, 'x'.repeat(10_000)]) {
    expect((await login(person, { code, recovery_code: code })).status).toBe(200);
  }
  expect(jsonOf(await stateOf(app.url, person.token))).toEqual({
    ...{ enabled: false, confirmed_at: null, recovery_codes_left: 0, required: false },
  });
});

test('a confirmed app ends every other token, and a login asks for its code', async () => {
  const person = await enrolled();
  expect(await accountOf(app.url, person.first)).toBeUndefined();
  expect(await accountOf(app.url, person.token)).toMatchObject({ id: person.id });
  expect(jsonOf(await stateOf(app.url, person.token))).toMatchObject({
    enabled: true,
    recovery_codes_left: 10,
  });
  const refused = await login(person);
  expect(refused.status).toBe(422);
  const { challenge, expires_at, ...body } = jsonOf<ChallengeBody>(refused);
  expect(body).toEqual({
    ...{ message: REQUIRED, errors: { code: [REQUIRED] }, two_factor: true },
    methods: ['code', 'recovery_code'],
  });
  expect(challenge).toMatch(/^[\w-]{43}$/);
  expect(expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  const finished = await post(app.url, 'two-factor-challenge', {
    ...{ challenge, code: codeAt(person.secretKey) },
  });
  expect(finished.status).toBe(200);
  expect(jsonOf<{ data: object }>(finished).data).toMatchObject({ id: person.id });
  const again = await post(app.url, 'two-factor-challenge', { challenge, code: codeAt(person.secretKey, 1) });
  expect([again.status, jsonOf(again)]).toEqual([
    422,
    { message: INVALID_CHALLENGE, errors: { challenge: [INVALID_CHALLENGE] } },
  ]);
});

test('a login with a code or a recovery code needs no challenge, and each works once', async () => {
  const person = await enrolled();
  const code = codeAt(person.secretKey);
  const spelled = ` ${code.slice(0, 3)} ${code.slice(3)} `;
  expect((await login(person, { code: spelled })).status).toBe(200);
  expect(jsonOf(await login(person, { code }))).toMatchObject({ message: USED, two_factor: true });
  const [recovery_code = ''] = person.recoveryCodes;
  const alike = recovery_code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
  expect((await login(person, { recovery_code: alike })).status).toBe(200);
  expect(jsonOf(await login(person, { recovery_code }))).toMatchObject({
    ...{ message: WRONG_RECOVERY, errors: { recovery_code: [WRONG_RECOVERY] }, two_factor: true },
  });
});

test.each([
  ['five digits', '12345'],
  ['full-width digits', '１２３４５６'],
  ['an array', ['123456']],
  ['a number', 123456],
  ['an object', { $gt: '' }],
  ['a long text', '1'.repeat(50_000)],
])('%s are no code', async (_, code) => {
  const person = await enrolled();
  expect(jsonOf(await login(person, { code }))).toMatchObject({ message: WRONG, errors: { code: [WRONG] } });
});

test('five codes can be tried for a challenge', async () => {
  const person = await enrolled();
  const { challenge } = jsonOf<ChallengeBody>(await login(person));
  for (let time = 0; time < 5; time += 1) {
    const wrong = await post(app.url, 'two-factor-challenge', {
      challenge,
      code: wrongCode(person.secretKey),
    });
    expect(jsonOf(wrong)).toEqual({ message: WRONG, errors: { code: [WRONG] } });
  }
  const sixth = await post(app.url, 'two-factor-challenge', { challenge, code: codeAt(person.secretKey) });
  expect(jsonOf(sixth)).toMatchObject({ message: INVALID_CHALLENGE });
});

test('a step up, new recovery codes and the removal ask for the password and a code', async () => {
  const person = await enrolled();
  const { password, secretKey } = person;
  const act = (path: string, body: object, token = person.token) => post(app.url, path, body, bearer(token));
  for (const path of [
    'confirm-two-factor',
    'two-factor-recovery-codes',
    'two-factor-authentication/disable',
  ]) {
    expect(jsonOf(await act(`user/${path}`, { password }))).toEqual({
      ...{ message: REQUIRED, errors: { code: [REQUIRED] } },
    });
    const wrong = await act(`user/${path}`, { password: 'wrong', code: codeAt(secretKey) });
    expect(jsonOf(wrong)).toMatchObject({ errors: { password: ['The password is incorrect.'] } });
  }
  const steppedUp = await act('user/confirm-two-factor', { password, code: codeAt(secretKey) });
  const { token } = jsonOf<{ token: string }>(steppedUp);
  expect([steppedUp.status, await accountOf(app.url, person.token)]).toEqual([200, undefined]);
  await nextCode();
  const renewed = await act('user/two-factor-recovery-codes', { password, code: codeAt(secretKey) }, token);
  const { recovery_codes: codes } = jsonOf<{ recovery_codes: string[] }>(renewed);
  expect(codes).toHaveLength(10);
  const [former] = person.recoveryCodes;
  expect(jsonOf(await login(person, { recovery_code: former }))).toMatchObject({ message: WRONG_RECOVERY });
  const removed = await act(
    'user/two-factor-authentication/disable',
    { password, recovery_code: codes[0] },
    token,
  );
  expect([removed.status, jsonOf(removed)]).toEqual([200, { status: 'two-factor-authentication-disabled' }]);
  expect((await login(person)).status).toBe(200);
  expect(await app.database.db.collection('factors').countDocuments({ accountId: person.id })).toBe(0);
});

test('without TWO_FACTOR_SECRET there is no second factor, whoever asks', async () => {
  const paths = [
    ...['', '/disable'].map((end) => `user/two-factor-authentication${end}`),
    ...[
      'user/confirmed-two-factor-authentication',
      'user/two-factor-recovery-codes',
      'user/confirm-two-factor',
    ],
  ];
  for (const path of paths) {
    expect((await post(off.url, path, { password: 'x', code: 'y' })).status).toBe(404);
  }
  expect((await send(`${off.url}/api/v1/auth/user/two-factor-authentication`)).status).toBe(404);
});
