import { rememberToken } from '../../../tests/support/response-record.ts';
import { newReviewer } from '../../../tests/support/reviews.ts';
import {
  anEnrolledPerson,
  aPerson,
  codeAt,
  nextCode,
  TEXTS,
  TWO_FACTOR,
  wrongCode,
} from '../../../tests/support/second-factor.ts';
import { testClock, useTestApp } from '../../../tests/support/test-app.ts';
import { type AuthClient, type AuthClientOptions, createAuthClient } from '../src/index.ts';
import { gatedFetch } from './support/gates.ts';
import { dataOf, errorOf, watchedFetch } from './support/results.ts';
import { fakeWindow, syncStorage } from './support/storages.ts';

const KEY = 'auth-gateway.token';
const GRACE_MILLIS = 7 * 86_400_000;
const app = useTestApp(TWO_FACTOR);
const strict = useTestApp({ ...TWO_FACTOR, TWO_FACTOR_REQUIRED: 'patient,reviewer' });

const newClient = (options?: Partial<AuthClientOptions>): AuthClient =>
  createAuthClient({ url: app.url, fetch: watchedFetch, ...options });

/** The error of a login that is to be continued. */
async function challenged(client: AuthClient, credentials: Parameters<AuthClient['login']>[0]) {
  const error = errorOf(await client.login(credentials));
  if (error.code !== 'TWO_FACTOR_REQUIRED' && error.code !== 'TWO_FACTOR_SETUP_REQUIRED') {
    throw new Error(`${error.code}: ${error.message}`);
  }
  rememberToken(error.challenge);
  return error;
}

describe('a login with a second factor', () => {
  test('is a result with a challenge, keeps nothing, and is finished by completeLogin', async () => {
    const { secretKey, email, password, id } = await anEnrolledPerson(app.url);
    const storage = syncStorage({});
    const tokens: (string | null)[] = [];
    const client = newClient({ storage, onTokenChange: (token) => tokens.push(token) });
    const { challenge, ...error } = await challenged(client, { email, password });
    expect(error).toEqual({
      ...{ code: 'TWO_FACTOR_REQUIRED', message: TEXTS.required, methods: ['code', 'recovery_code'] },
      ...{ expiresAt: expect.stringMatching(/^\d{4}-.*Z$/), requestId: expect.any(String) },
    });
    expect(challenge).not.toBe('');
    expect([client.token, client.session.status, storage.items.size, tokens]).toEqual([
      null,
      'anonymous',
      0,
      [],
    ]);
    const wrong = errorOf(await client.completeLogin({ challenge, code: wrongCode(secretKey) }));
    expect(wrong).toMatchObject({ message: TEXTS.wrong });
    expect(client.session.status).toBe('anonymous');
    const { token, account } = dataOf(await client.completeLogin({ challenge, code: codeAt(secretKey) }));
    expect([client.token, [...storage.items]]).toEqual([token, [[KEY, token]]]);
    expect(client.session).toEqual({ status: 'authenticated', account: expect.objectContaining({ id }) });
    expect([account.id, tokens]).toEqual([id, [token]]);
  });

  test('does not end the session of somebody else in the same client', async () => {
    const { email, password } = await anEnrolledPerson(app.url);
    const other = await aPerson(app.url);
    const client = newClient({ token: other.token });
    await challenged(client, { email, password });
    expect(client.token).toBe(other.token);
    expect(dataOf(await client.me()).id).toBe(other.id);
  });

  test('takes a code or a recovery code at once', async () => {
    const { secretKey, recoveryCodes, email, password } = await anEnrolledPerson(app.url);
    const client = newClient();
    dataOf(await client.login({ email, password, code: codeAt(secretKey) }));
    dataOf(await client.login({ email, password, recoveryCode: recoveryCodes[0] ?? '' }));
    expect(dataOf(await client.myTwoFactor())).toMatchObject({ enabled: true, recoveryCodesLeft: 9 });
    const wrong = await challenged(client, { email, password, code: wrongCode(secretKey) });
    expect(wrong.message).toBe(TEXTS.wrong);
  });
});

test('a second factor is set up, proven again and removed; each new token replaces the one before', async () => {
  const { token: first, password, id } = await aPerson(app.url);
  const storage = syncStorage({ [KEY]: first });
  const client = newClient({ storage });
  const session = await client.refresh();
  const { secretKey } = dataOf(await client.enableTwoFactor({ password }));
  const { token, recoveryCodes } = dataOf(await client.confirmTwoFactor({ code: codeAt(secretKey) }));
  for (const secret of [secretKey, token, ...recoveryCodes]) {
    rememberToken(secret);
  }
  expect([client.token, [...storage.items]]).toEqual([token, [[KEY, token]]]);
  expect(token).not.toBe(first);
  // The person is the same, so nothing is rendered again.
  expect(client.session).toBe(session);
  expect(errorOf(await newClient({ token: first }).me()).code).toBe('UNAUTHENTICATED');
  nextCode();
  const refused = errorOf(await client.stepUp({ password, code: wrongCode(secretKey) }));
  expect([refused.message, client.token]).toEqual([TEXTS.wrong, token]);
  const proven = dataOf(await client.stepUp({ password, code: codeAt(secretKey) }));
  expect([client.token, storage.items.get(KEY)]).toEqual([proven.token, proven.token]);
  expect(client.session).toMatchObject({ status: 'authenticated', account: { id } });
  expect(dataOf(await client.me()).id).toBe(id);
  const [recoveryCode = ''] = recoveryCodes;
  const renewed = dataOf(await client.renewRecoveryCodes({ password, recoveryCode }));
  expect(renewed.recoveryCodes).toHaveLength(10);
  nextCode();
  dataOf(await client.disableTwoFactor({ password, code: codeAt(secretKey) }));
  expect(dataOf(await client.myTwoFactor())).toMatchObject({ enabled: false, recoveryCodesLeft: 0 });
});

test('a token that stepUp replaces in one tab is not removed by the others, and becomes theirs', async () => {
  const { secretKey, password, token, id } = await anEnrolledPerson(app.url);
  const page = fakeWindow();
  try {
    const client = newClient({ storage: 'localStorage', token });
    const tokens: (string | null)[] = [];
    const other = newClient({ storage: 'localStorage', onTokenChange: (changed) => tokens.push(changed) });
    expect((await other.refresh()).status).toBe('authenticated');
    const proven = dataOf(await client.stepUp({ password, code: codeAt(secretKey) }));
    // The event of the storage has not come yet.
    expect(errorOf(await other.me()).code).toBe('UNAUTHENTICATED');
    expect(page.localStorage.getItem(KEY)).toBe(proven.token);
    page.dispatch('storage', { key: KEY });
    expect([other.token, tokens.at(-1)]).toEqual([proven.token, proven.token]);
    expect(await other.refresh()).toMatchObject({ status: 'authenticated', account: { id } });
  } finally {
    page.restore();
  }
});

describe('answers that arrive late', () => {
  test('a token that ends by stepUp does not end the session of a call beside it', async () => {
    const { secretKey, password, token } = await anEnrolledPerson(app.url);
    const { fetch, hold } = gatedFetch();
    const client = newClient({ token, fetch });
    const stepUp = await hold(() => client.stepUp({ password, code: codeAt(secretKey) }));
    const list = client.tokens.list();
    await newClient({ token }).me();
    const proven = dataOf(await stepUp());
    expect(errorOf(await list).code).toBe('UNAUTHENTICATED');
    expect(client.token).toBe(proven.token);
    expect(client.session.status).toBe('authenticated');
  });

  test('a new token does not replace that of a new login, nor bring a session back', async () => {
    const { secretKey, password, token } = await anEnrolledPerson(app.url);
    const { fetch, hold } = gatedFetch();
    const client = newClient({ token, fetch });
    const stepUp = await hold(() => client.stepUp({ password, code: codeAt(secretKey) }));
    client.token = null;
    dataOf(await stepUp());
    expect([client.token, client.session]).toEqual([null, { status: 'anonymous' }]);
  });
});

describe('under a policy', () => {
  const strictClient = (options?: Partial<AuthClientOptions>) => newClient({ url: strict.url, ...options });

  test('a login is a result with a challenge, which sets up the second factor and begins a session', async () => {
    const { email, password, id, token: ended } = await aPerson(strict.url);
    testClock.move(GRACE_MILLIS);
    // The stored token is not valid any more, so it must not be sent beside the challenge.
    const storage = syncStorage({ [KEY]: ended });
    const sent: boolean[] = [];
    const fetch: typeof watchedFetch = (address, init) => {
      sent.push(new Headers(init?.headers).has('Authorization'));
      return watchedFetch(address, init);
    };
    const client = strictClient({ storage, fetch });
    const { challenge, ...error } = await challenged(client, { email, password });
    expect(error).toEqual({
      ...{ code: 'TWO_FACTOR_SETUP_REQUIRED', message: TEXTS.setUp },
      ...{ expiresAt: expect.any(String), requestId: expect.any(String) },
    });
    expect(storage.items.get(KEY)).toBe(ended);
    const { secretKey } = dataOf(await client.enableTwoFactor({ password, challenge }));
    const { token } = dataOf(await client.confirmTwoFactor({ challenge, code: codeAt(secretKey) }));
    expect(sent).toEqual([false, false, false]);
    expect([client.token, [...storage.items]]).toEqual([token, [[KEY, token]]]);
    expect(client.session).toEqual({ status: 'loading' });
    expect(await client.refresh()).toMatchObject({ status: 'authenticated', account: { id } });
    // Mails are off here. The answer to a challenge that was used would be another one with them.
    expect(errorOf(await client.requestEmailVerification({ challenge })).code).toBe('NOT_FOUND');
    expect(client.token).toBe(token);
  });

  test('INSUFFICIENT_USER_AUTHENTICATION does not end the session', async () => {
    const { token } = await newReviewer(strict);
    const client = strictClient({ token });
    expect(errorOf(await client.reviews.list()).code).toBe('INSUFFICIENT_USER_AUTHENTICATION');
    expect([client.token, (await client.refresh()).status]).toEqual([token, 'authenticated']);
  });
});
