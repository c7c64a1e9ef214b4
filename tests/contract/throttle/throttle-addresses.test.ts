import type { Outcome } from '../../support/apis.ts';
import { authenticated, refused } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, sendJson } from '../../support/http.ts';
import { aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { createTestApp, useTestApp } from '../../support/test-app.ts';

const LIMITS = {
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: '2',
  RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '4',
  RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE: '3',
};

let lastAddress = 0;
/** An address in a network that nothing else uses. */
function freshAddress(): string {
  lastAddress += 1;
  return `10.0.${lastAddress}.1`;
}

/** Logs in with a wrong password at either API, as somebody behind a proxy, and says with which status that ended. */
async function guess(url: string, email: string, address: string, api: 'rest' | 'graphql' = 'rest') {
  const headers = { 'X-Forwarded-For': address };
  const input = { email, password: freshPassword() };
  if (api === 'rest') {
    return (await sendJson(`${url}/api/v1/auth/login`, input, headers)).status;
  }
  const query = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';
  const response = await sendJson(`${url}/graphql`, { query, variables: { input } }, headers);
  const code = jsonOf<{ errors: { extensions: { code: string; retryAfterSeconds?: number } }[] }>(response)
    .errors[0]?.extensions;
  if (code?.code === 'TOO_MANY_ATTEMPTS') {
    expect(code.retryAfterSeconds).toBeGreaterThan(0);
  }
  return code?.code === 'INVALID_CREDENTIALS' ? 401 : response.status;
}

describe('behind a proxy that is trusted', () => {
  const app = useTestApp({ ...LIMITS, TRUST_PROXY: '1' });

  test('one address cannot try one password on many accounts', async () => {
    for (const api of ['rest', 'graphql', 'rest', 'graphql'] as const) {
      expect(await guess(app.url, freshEmail(), '198.51.100.1', api)).toBe(401);
    }
    expect(await guess(app.url, freshEmail(), '198.51.100.1', 'graphql')).toBe(429);
    expect(await guess(app.url, freshEmail(), '198.51.100.1', 'rest')).toBe(429);
    expect(await guess(app.url, freshEmail(), '198.51.100.2')).toBe(401);
  });

  test('many addresses cannot try many passwords on one account', async () => {
    const email = freshEmail();
    for (const api of ['rest', 'graphql', 'rest'] as const) {
      expect(await guess(app.url, email, `203.0.113.${Math.floor(Math.random() * 250)}`, api)).toBe(401);
    }
    expect(await guess(app.url, email, '203.0.113.251', 'graphql')).toBe(429);
    expect(await guess(app.url, email, '203.0.113.252', 'rest')).toBe(429);
  });

  test('the gateway counts the address that the trusted proxy adds, not one that the caller has put before it', async () => {
    const email = freshEmail();
    expect(await guess(app.url, email, '10.0.0.1, 198.51.100.3')).toBe(401);
    expect(await guess(app.url, email, '10.0.0.2, 198.51.100.3')).toBe(401);
    expect(await guess(app.url, email, '10.0.0.3, 198.51.100.3')).toBe(429);
  });
});

describe('networks', () => {
  const app = useTestApp({ ...LIMITS, RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '3', TRUST_PROXY: '1' });
  const apisAt = (address: string) =>
    [restApi, graphqlApi].map((open) => open(app.url, { 'X-Forwarded-For': address }));

  test.each([
    ['a /56', 6, (index: number) => `2001:db8:1:${index}::1`],
    ['a /48', 30, (index: number) => `2001:db8:2:${index}00::1`],
    ['a /24', 30, (index: number) => `192.0.2.${index}`],
  ])(
    'all addresses of %s have %i registrations a minute, whatever their outcome',
    async (_, limit, addressOf) => {
      const taken = aPatient();
      authenticated(await restApi(app.url, { 'X-Forwarded-For': freshAddress() }).registerPatient(taken));
      for (let index = 0; index < limit; index += 1) {
        const [rest, graphql] = apisAt(addressOf(index));
        const api = index % 2 === 0 ? rest : graphql;
        refused((await api?.registerPatient({ ...aPatient(), email: taken.email })) as Outcome, 'validation');
      }
      for (const api of apisAt(addressOf(limit))) {
        refused(await api.registerPatient(aPatient()), 'too many attempts');
      }
      authenticated(
        await restApi(app.url, { 'X-Forwarded-For': freshAddress() }).registerPatient(aPatient()),
      );
    },
  );

  test('people behind a NAT64 count by their IPv4 address, and are known by it', async () => {
    const email = freshEmail();
    for (let count = 0; count < 2; count += 1) {
      expect(await guess(app.url, email, '64:ff9b::203.0.113.9')).toBe(401);
    }
    expect(await guess(app.url, email, '203.0.113.9')).toBe(429);
    expect(await guess(app.url, email, '64:ff9b::198.51.100.9')).toBe(401);

    const patient = aPatient();
    authenticated(
      await restApi(app.url, { 'X-Forwarded-For': '64:ff9b:1::198.51.7.1' }).registerPatient(patient),
    );
    for (let count = 0; count < 3; count += 1) {
      expect(await guess(app.url, patient.email, `198.51.${count}.2`)).toBe(401);
    }
    authenticated(await restApi(app.url, { 'X-Forwarded-For': '198.51.7.1' }).login(patient));
    refused(await restApi(app.url, { 'X-Forwarded-For': '198.51.7.2' }).login(patient), 'too many attempts');
  });

  test('the neighbours of a known place in the same /56 are strangers', async () => {
    const patient = aPatient();
    const from = (address: string) => restApi(app.url, { 'X-Forwarded-For': address });
    authenticated(await from('2001:db8:9:1::1').registerPatient(patient));
    for (let count = 0; count < 3; count += 1) {
      expect(await guess(app.url, patient.email, `2001:db8:${count}a:1::1`)).toBe(401);
    }
    refused(await from('2001:db8:9:2::1').login(patient), 'too many attempts');
    authenticated(await from('2001:db8:9:1::2').login(patient));
  });
});

describe('two instances on one database', () => {
  const one = useTestApp(LIMITS);

  test('two instances on one database share their counts', async () => {
    const another = await createTestApp(LIMITS, () => one.database.uri);
    try {
      const email = freshEmail();
      const login = (url: string) => restApi(url).login({ email, password: freshPassword() });
      refused(await login(one.url), 'credentials');
      refused(await login(another.url), 'credentials');
      refused(await login(one.url), 'too many attempts');
      refused(await login(another.url), 'too many attempts');
    } finally {
      await another.stop();
    }
  });
});
