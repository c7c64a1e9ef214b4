import { type Outcome } from '../../support/apis.ts';
import { authenticated, refused } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { sendJson } from '../../support/http.ts';
import { aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const LOGINS = 3;
const REGISTRATIONS = 30;
const WINDOW_SECONDS = 60;

const app = useTestApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: String(LOGINS),
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: String(REGISTRATIONS),
});

/** Checks for a 429 with the message and the headers of docs/contract.md, "Too many attempts". */
function expectTooMany(outcome: Outcome, limit: number) {
  const { message, http } = refused(outcome, 'too many attempts');
  expect(message).toBe('Too Many Attempts.');
  expect(http.status).toBe(429);
  expect(http.headers.get('retry-after')).toBe(String(WINDOW_SECONDS));
  expect(http.headers.get('x-ratelimit-limit')).toBe(String(limit));
  expect(http.headers.get('x-ratelimit-remaining')).toBe('0');
  const resetEpochSeconds = Math.floor(testClock.now() / 1000) + WINDOW_SECONDS;
  expect(http.headers.get('x-ratelimit-reset')).toBe(String(resetEpochSeconds));
}

const login = (email: string, password = freshPassword()) => restApi(app.url).login({ email, password });

/** Uses up the attempts of an e-mail. */
async function fail(email: string, times = LOGINS) {
  for (let attempt = 0; attempt < times; attempt += 1) {
    refused(await login(email), 'credentials');
  }
}

test('the gateway refuses even the right password for a while after too many failed logins, in any case of the e-mail', async () => {
  const patient = aPatient();
  authenticated(await restApi(app.url).registerPatient(patient));
  for (const email of [patient.email, freshEmail()]) {
    await fail(email);
    expectTooMany(await login(email), LOGINS);
    expectTooMany(await login(email.toUpperCase(), patient.password), LOGINS);
    // The attempts of one e-mail do not count for another.
    refused(await login(freshEmail()), 'credentials');
  }
});

test('a successful login resets the failures', async () => {
  const patient = aPatient();
  authenticated(await restApi(app.url).registerPatient(patient));
  await fail(patient.email, LOGINS - 1);
  authenticated(await restApi(app.url).login(patient));
  await fail(patient.email);
});

test('simultaneous guesses do not exceed the limit', async () => {
  const email = freshEmail();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => login(email)));
  expect(outcomes.filter((outcome) => !outcome.ok && outcome.kind === 'credentials')).toHaveLength(LOGINS);
});

describe('of registrations', () => {
  const registrationsApp = useTestApp({ RATE_LIMIT: 'on', RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '2' });

  test('the gateway limits the registrations of one address', async () => {
    const register = () => restApi(registrationsApp.url).registerPatient(aPatient());
    authenticated(await register());
    authenticated(await register());
    expectTooMany(await register(), 2);
  });
});

test('both doors share the counts of attempts', async () => {
  const email = freshEmail();
  const apis = [restApi(app.url), graphqlApi(app.url), restApi(app.url)];
  for (const api of apis) {
    refused(await api.login({ email, password: freshPassword() }), 'credentials');
  }
  for (const api of apis) {
    expectTooMany(await api.login({ email, password: freshPassword() }), LOGINS);
  }
});

test('an untrusted X-Forwarded-For gives no new attempts', async () => {
  const email = freshEmail();
  const login = (address: string) =>
    sendJson(
      `${app.url}/api/v1/auth/login`,
      { email, password: freshPassword() },
      { 'X-Forwarded-For': address },
    );
  for (let attempt = 0; attempt < LOGINS; attempt += 1) {
    await login(`10.0.0.${attempt}`);
  }
  expect((await login('10.0.0.99')).status).toBe(429);
});
