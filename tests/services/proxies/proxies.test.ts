import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { authenticated, registeredDoctor, succeeded } from '../../support/expectations.ts';
import { jsonOf, send } from '../../support/http.ts';
import { freePort, listenOnFreePort } from '../../support/listen.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer, tokenIdOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';
import { type RunningProxy, startProxy } from '../support/proxies.ts';

/** What the service behind the proxy has received. */
interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

const app = useTestApp();
const requests: Received[] = [];
// It takes more headers than the gateway does.
const service = createServer({ maxHeaderSize: 65_536 }, async (req, res) => {
  const { method = '', url = '', headers } = req;
  const received = { method, url, headers, body: await readText(req) };
  requests.push(received);
  res.setHeader('Content-Type', 'application/json').end(JSON.stringify(received));
});
let serviceAddress = '';

beforeAll(async () => {
  serviceAddress = `127.0.0.1:${await listenOnFreePort(service)}`;
});
afterAll(async () => {
  service.closeAllConnections();
  service.close();
  await once(service, 'close');
});
beforeEach(() => {
  requests.length = 0;
});

const aPatientSession = async () => authenticated(await restApi(app.url).registerPatient(aPatient()));
const aDoctorSession = async () => registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));

/** Every header that says or pretends to say whose request it is. */
const identityIn = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^x[^a-z]auth|^authorization$/i.test(name)));

describe.each<{ name: 'nginx' | 'caddy'; away: number; ofNoDoctor: object }>([
  // nginx removes headers without a value.
  { name: 'nginx', away: 503, ofNoDoctor: {} },
  { name: 'caddy', away: 502, ofNoDoctor: { 'x-auth-verification': '' } },
])('behind $name with the recipe of the documentation', ({ name, away, ofNoDoctor }) => {
  let proxy: RunningProxy;
  /** What the service learns about a patient. */
  const identityOf = (id: string) => ({
    ...{ 'x-auth-account': id, 'x-auth-role': 'patient', 'x-auth-abilities': '*', 'x-auth-acr': 'aal1' },
    ...ofNoDoctor,
  });
  beforeAll(async () => {
    proxy = await startProxy(name, new URL(app.url).host, serviceAddress);
  });
  afterAll(() => proxy.stop());

  test('a request with a valid token reaches the service, which learns whose it is', async () => {
    const { account, token } = await aPatientSession();
    const http = await send(`${proxy.url}/appointments?day=1`, { headers: bearer(token) });
    expect(http.status).toBe(200);
    const { url, headers } = jsonOf<Received>(http);
    expect([url, identityIn(headers)]).toEqual(['/appointments?day=1', identityOf(account.id)]);
  });

  test('more cookies than the gateway takes reach the service', async () => {
    const { account, token } = await aPatientSession();
    for (const path of ['/appointments', '/records/1']) {
      const session = path === '/appointments' ? { account, token } : await aDoctorSession();
      // In three lines, because nginx takes 8 KiB in each. Pairs are sent as they are.
      const cookies = ['a', 'b', 'c'].flatMap((one) => ['Cookie', `${one}=${'x'.repeat(7_000)}`]);
      const headers = ['Host', 'a', 'Authorization', `Bearer ${session.token}`, ...cookies];
      const http = await sendRaw(proxy.url, { path, headers });
      expect(http.status).toBe(200);
      expect(requests.at(-1)?.headers['x-auth-account']).toBe(session.account.id);
      expect(requests.at(-1)?.headers.cookie?.length).toBeGreaterThan(21_000);
    }
  });

  test('a CORS preflight reaches the service, without an identity and a token', async () => {
    const { token } = await aDoctorSession();
    const asked = { Origin: 'https://app.example.org', 'Access-Control-Request-Method': 'PUT' };
    const forged = { ...bearer(token), 'X-Auth-Account': '1', 'X-Auth-Role': 'doctor', 'X-Auth-Acr': 'aal2' };
    for (const path of ['/appointments', '/records/1']) {
      for (const headers of [asked, { ...asked, ...forged }] as Record<string, string>[]) {
        expect((await sendRaw(proxy.url, { method: 'OPTIONS', path, headers })).status).toBe(200);
        const { method, url, headers: received } = requests.at(-1) ?? {};
        expect([method, url, received?.origin, identityIn(received ?? {})]).toEqual([
          'OPTIONS',
          path,
          asked.Origin,
          {},
        ]);
      }
    }
  });

  test('what is no CORS preflight does not pass as one', async () => {
    const asked = { Origin: 'https://app.example.org', 'Access-Control-Request-Method': 'PUT' };
    for (const [method, headers] of [
      ['OPTIONS', { Origin: asked.Origin }],
      ['OPTIONS', { 'Access-Control-Request-Method': 'PUT' }],
      ['GET', asked],
      ['POST', asked],
    ] as [string, Record<string, string>][]) {
      const http = await sendRaw(proxy.url, { method, path: '/appointments', headers });
      expect(http.status).toBeGreaterThanOrEqual(400);
    }
    expect(requests).toEqual([]);
  });

  test('a request with a body reaches the service as it is', async () => {
    const { token } = await aPatientSession();
    const body = 'x'.repeat(100_000);
    const http = await send(`${proxy.url}/appointments`, { method: 'POST', headers: bearer(token), body });
    expect(http.status).toBe(200);
    expect(requests).toMatchObject([{ method: 'POST', body }]);
  });

  test('a request without a valid token gets 401 and does not reach the service', async () => {
    const { token } = await aPatientSession();
    succeeded(await restApi(app.url).logout(`Bearer ${token}`));
    const attempts = [{}, bearer('x'), bearer(token), { Authorization: 'Basic eDp4' }];
    for (const headers of attempts as Record<string, string>[]) {
      const http = await send(`${proxy.url}/appointments`, { headers });
      expect([http.status, http.headers.get('www-authenticate'), jsonOf(http)]).toEqual([
        401,
        'Bearer',
        { message: 'Unauthenticated.' },
      ]);
    }
    expect(requests).toEqual([]);
  });

  test('what is for doctors gets 403 from a patient, whatever the query says', async () => {
    const patient = await aPatientSession();
    const doctor = await aDoctorSession();
    const recordOf = (token: string, query = '') =>
      send(`${proxy.url}/records/1${query}`, { headers: bearer(token) });
    const statusOf = async (token: string, query = '') => (await recordOf(token, query)).status;
    expect(jsonOf(await recordOf(patient.token))).toEqual({ message: 'This action is unauthorized.' });
    expect([await statusOf(patient.token), await statusOf(patient.token, '?role=patient')]).toEqual([
      403, 403,
    ]);
    expect(requests).toEqual([]);
    expect(await statusOf(doctor.token, '?role=patient')).toBe(200);
    expect(requests.map(({ headers }) => headers['x-auth-account'])).toEqual([doctor.account.id]);
  });

  test('a service learns the state of a doctor, whatever the doctor says', async () => {
    const { account, token } = await aDoctorSession();
    const profiles = app.database.db.collection<{ _id: string }>('doctor_profiles');
    const forged = { ...bearer(token), 'X-Auth-Verification': 'verified', Connection: 'x-auth-verification' };
    for (const status of ['suspended', 'verified']) {
      const verification = { status, decidedAt: null, reason: null, submittedAt: new Date() };
      await profiles.updateOne({ _id: account.id }, { $set: { verification } });
      await sendRaw(proxy.url, { path: '/records/1', headers: forged });
    }
    expect(requests.map(({ headers }) => headers['x-auth-verification'])).toEqual(['suspended', 'verified']);
  });

  test('a service learns how well a caller was proven, whatever the caller says', async () => {
    const { token } = await aPatientSession();
    const forged = { ...bearer(token), 'X-Auth-Acr': 'aal2', Connection: 'x-auth-acr' };
    await sendRaw(proxy.url, { path: '/appointments', headers: forged });
    const tokens = app.database.db.collection<{ _id: string }>('access_tokens');
    await tokens.updateOne({ _id: tokenIdOf(token) }, { $unset: { amr: 1, authTime: 1 } });
    await sendRaw(proxy.url, { path: '/appointments', headers: forged });
    expect(requests.map(({ headers }) => headers['x-auth-acr'] ?? '')).toEqual(['aal1', '']);
  });

  test('a caller without the proof that a route requires learns which one, and does not reach the service', async () => {
    const { token } = await aPatientSession();
    const demanding = await startProxy(name, new URL(app.url).host, serviceAddress, 'acr=aal2&max_age=900');
    try {
      const http = await send(`${demanding.url}/records/1?acr=aal1`, { headers: bearer(token) });
      expect([http.status, http.headers.get('www-authenticate'), requests]).toEqual([
        401,
        'Bearer error="insufficient_user_authentication", error_description="A different authentication level is required", acr_values="aal2", max_age="900"',
        [],
      ]);
    } finally {
      await demanding.stop();
    }
  });

  test.each([
    ['X-Auth-Account', 'X-Auth-Role', 'X-Auth-Abilities', 'X-Auth-Verification', 'X-Auth-Acr'],
    ['x-auth-account', 'x-AUTH-role', 'X-aUtH-abilities', 'x-auth-VERIFICATION', 'x-auth-ACR'],
    ['X_Auth_Account', 'X-Auth_Role', 'x_auth_abilities', 'X_Auth-Verification', 'X_AUTH_acr'],
    // PHP reads both characters like -.
    ['X.Auth.Account', 'X-Auth.Role', 'x.auth_abilities', 'X.Auth.Verification', 'x.auth.Acr'],
  ])('the headers %s, %s, %s, %s, %s of a caller do not reach the service', async (...names) => {
    const { account, token } = await aPatientSession();
    const forged = Object.fromEntries(names.map((header) => [header, ['aal2', 'verified']]));
    const headers = { ...bearer(token), ...forged };
    await sendRaw(proxy.url, { path: '/appointments', headers });
    expect(requests.map((received) => identityIn(received.headers))).toEqual([identityOf(account.id)]);
  });

  test('a caller cannot take a header away by calling it one of the connection', async () => {
    const { account, token } = await aPatientSession();
    const headers = { ...bearer(token), Connection: 'close, X-Auth-Account,x-auth-role, x_auth-abilities' };
    await sendRaw(proxy.url, { path: '/appointments', headers });
    expect(requests.map((received) => identityIn(received.headers))).toEqual([identityOf(account.id)]);
  });

  test('a caller cannot ask the gateway through the proxy', async () => {
    const { token } = await aPatientSession();
    for (const path of ['/_auth', '/_auth/doctor']) {
      const http = await send(proxy.url + path, { headers: bearer(token) });
      expect(http.headers.get('x-auth-account')).toBeNull();
    }
  });

  test('nobody passes while the gateway is unreachable', async () => {
    const { token } = await aPatientSession();
    const alone = await startProxy(name, `127.0.0.1:${await freePort()}`, serviceAddress);
    try {
      const http = await send(`${alone.url}/appointments`, { headers: bearer(token) });
      expect([http.status, requests]).toEqual([away, []]);
    } finally {
      await alone.stop();
    }
  });
});
