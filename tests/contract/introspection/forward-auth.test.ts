import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually.ts';
import { authenticated, registeredDoctor, succeeded } from '../../support/expectations.ts';
import { type HttpResponse, jsonOf, send } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { trailOf } from '../../support/privacy.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer, tokenIdOf } from '../../support/session.ts';
import { afterSums, testClock, useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

const ORIGIN = 'https://app.example.org';
const app = useTestApp({ CORS_ORIGINS: ORIGIN });

const aPatientSession = async () => authenticated(await restApi(app.url).registerPatient(aPatient()));
const aDoctorSession = async () => registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
const check = (token: string, query = '', init: RequestInit = {}, url = app.url): Promise<HttpResponse> =>
  send(`${url}/forward-auth${query}`, { headers: bearer(token), ...init });
/** Stores what reviewers have decided about a doctor. */
const decide = (id: string, status: unknown) =>
  update('doctor_profiles', id, { $set: { verification: { status, decidedAt: null, reason: null } } });
const update = (collection: string, id: string, change: object) =>
  app.database.db.collection<{ _id: string }>(collection).updateOne({ _id: id }, change);

/** The headers for the service behind the proxy. */
const identityOf = ({ headers }: HttpResponse) =>
  ['account', 'role', 'abilities', 'verification', 'acr'].map((name) => headers.get(`x-auth-${name}`));
const NOBODY = [null, null, null, null, null];

test.each(['GET', 'HEAD'])('%s with a valid token gets 204 and says whose it is', async (method) => {
  const { account, token } = await aPatientSession();
  const http = await check(token, '', { method });
  expect([http.status, http.text, ...identityOf(http)]).toEqual([
    204,
    '',
    account.id,
    'patient',
    '*',
    '',
    'aal1',
  ]);
  expect(http.headers.get('cache-control')).toBe('no-store');
});

test.each<[string, Record<string, string>]>([
  ['no token', {}],
  ['a malformed token', bearer('x')],
  ['another scheme', { Authorization: 'Basic eDp4' }],
])('%s gets 401 and says nothing', async (_, headers) => {
  const http = await check('', '', { headers });
  expect([http.status, jsonOf(http), ...identityOf(http)]).toEqual([
    401,
    { message: 'Unauthenticated.' },
    ...NOBODY,
  ]);
  expect(http.headers.get('www-authenticate')).toBe('Bearer');
});

test('the state of a doctor is in the header, and only a verified one meets verified=true', async () => {
  const { account, token } = await aDoctorSession();
  const statuses = [];
  for (const status of ['verified', 'suspended', 'rejected', 'pending']) {
    await decide(account.id, status);
    const [anyone, verified] = [await check(token), await check(token, '?role=doctor&verified=true')];
    statuses.push([anyone.status, anyone.headers.get('x-auth-verification'), verified.status]);
  }
  expect(statuses).toEqual([
    [204, 'verified', 204],
    [204, 'suspended', 403],
    [204, 'rejected', 403],
    [204, 'pending', 403],
  ]);
});

test.each<[string, object]>([
  ['another status', { verification: { status: 'verified\r\nX-Auth-Role: reviewer' } }],
  ['no status', { verification: { decidedAt: null } }],
  ['no license number', { licenseNumber: null }],
])('a verified doctor whose profile then has %s is pending', async (_, change) => {
  const { account, token } = await aDoctorSession();
  await decide(account.id, 'verified');
  await update('doctor_profiles', account.id, { $set: change });
  const http = await check(token);
  expect([http.status, http.headers.get('x-auth-verification')]).toEqual([204, 'pending']);
  expect((await check(token, '?verified=true')).status).toBe(403);
});

test('a doctor without a profile is pending, and a patient with one is nothing', async () => {
  const [doctor, patient] = [await aDoctorSession(), await aPatientSession()];
  const profiles = app.database.db.collection<{ _id: string }>('doctor_profiles');
  const profile = await profiles.findOneAndDelete({ _id: doctor.account.id });
  await profiles.insertOne({ ...profile, _id: patient.account.id });
  await decide(patient.account.id, 'verified');
  expect((await check(doctor.token)).headers.get('x-auth-verification')).toBe('pending');
  const http = await check(patient.token);
  expect([http.status, http.headers.get('x-auth-verification')]).toEqual([204, '']);
  expect((await check(patient.token, '?verified=true')).status).toBe(403);
});

test('a token in two headers gets 401: the proxy may have used the other one', async () => {
  const { token } = await aPatientSession();
  const headers = { Authorization: [`Bearer ${token}`, `Bearer ${token}`] };
  const http = await sendRaw(app.url, { path: '/forward-auth', headers: headers as never });
  expect(http.status).toBe(401);
});

test('a revoked token gets 401, at once', async () => {
  const { token } = await aPatientSession();
  expect((await check(token)).status).toBe(204);
  succeeded(await restApi(app.url).logout(`Bearer ${token}`));
  expect((await check(token)).status).toBe(401);
});

describe('requirements', () => {
  test.each([
    ['?role=doctor', 204, 403],
    ['?role=patient', 403, 204],
    ['?role=doctor&role=patient', 204, 204],
    ['?ability=update', 204, 204],
    ['?ability=update&ability=delete', 204, 204],
    ['?ability=update&ability=publish', 403, 204],
    ['?role=doctor&ability=update', 204, 403],
    ['?role=patient&ability=update', 403, 204],
    ['?verified=true', 403, 403],
    ['?', 204, 204],
  ])('with %s a doctor gets %i and a patient %i', async (query, ofDoctor, ofPatient) => {
    const doctor = await check((await aDoctorSession()).token, query);
    const patient = await check((await aPatientSession()).token, query);
    expect([doctor.status, patient.status]).toEqual([ofDoctor, ofPatient]);
    const refused = [doctor, patient].filter(({ status }) => status === 403);
    for (const http of refused) {
      expect([jsonOf(http), ...identityOf(http)]).toEqual([
        { message: 'This action is unauthorized.' },
        ...NOBODY,
      ]);
    }
  });

  test.each([
    ['an unknown role', '?role=admin'],
    ['an empty role', '?role='],
    ['a role in another case', '?role=Doctor'],
    ['two roles of which one is unknown', '?role=patient&role=admin'],
    ['an empty ability', '?ability='],
    ['an ability with a blank', '?ability=create%20update'],
    ['an unknown name', '?roles=patient'],
    ['a name in another case', '?Role=patient'],
    ['an array', '?role[]=patient'],
    ['something after a fragment sign', '?role=patient%23doctor'],
    ['a second question mark', '??role=patient'],
    ['verified=false', '?verified=false'],
    ['an empty verified', '?verified='],
    ['verified in another case', '?verified=TRUE'],
    ['an unknown verified beside a known one', '?verified=true&verified=1'],
  ])('%s gets 400 and lets nobody pass', async (_, query) => {
    const http = await check((await aPatientSession()).token, query);
    expect([http.status, ...identityOf(http)]).toEqual([400, ...NOBODY]);
    expect((await check('x', query)).status).toBe(400);
  });

  test('the audit trail has whom a proxy was told to refuse, and why, summed up by the minute', async () => {
    const { account, token } = await aDoctorSession();
    const found = () => trailOf(app, { act: 'forward authentication', accountId: account.id });
    await afterSums();
    for (const query of ['?role=patient', '?verified=true', '?ability=publish', '', '?role=patient']) {
      await check(token, query);
    }
    await eventually(async () => expect(await found()).toHaveLength(3));
    await afterSums(async () => expect(await found()).toHaveLength(4));
    const told = (await found()).map(({ outcome, reason, count }) => `${outcome} ${reason} ${count}`);
    expect(told.sort()).toEqual([
      'failure another role is required 1',
      'failure another role is required null',
      'failure no verified doctor null',
      'failure the token lacks an ability null',
    ]);
  });

  test('a token without any ability has none, and one with * has all', async () => {
    const { token } = await aPatientSession();
    await update('access_tokens', tokenIdOf(token), { $set: { abilities: [] } });
    const none = await check(token, '?ability=update');
    const anyone = await check(token);
    expect([none.status, anyone.status, anyone.headers.get('x-auth-abilities')]).toEqual([403, 204, '']);
    await update('access_tokens', tokenIdOf(token), { $set: { abilities: ['*'] } });
    expect((await check(token, '?ability=update')).status).toBe(204);
  });
});

test('an ability that would break the header is not in it', async () => {
  const { token } = await aPatientSession();
  const abilities = ['read', 'a b', 'x\r\nX-Auth-Role: doctor', 'ä', '"'];
  await update('access_tokens', tokenIdOf(token), { $set: { abilities } });
  const http = await check(token);
  expect([http.status, http.headers.get('x-auth-abilities')]).toEqual([204, 'read']);
});

test('an account with an id that does not fit into a header gets 401', async () => {
  const { account, token } = await aPatientSession();
  const accounts = app.database.db.collection<{ _id: string }>('accounts');
  const stored = await accounts.findOneAndDelete({ _id: account.id });
  const odd = 'odd\r\nX-Auth-Role: doctor';
  await accounts.insertOne({ ...stored, _id: odd });
  await update('access_tokens', tokenIdOf(token), { $set: { accountId: odd } });
  expect((await check(token)).status).toBe(401);
});

test('headers of the request that pretend to be an answer change nothing', async () => {
  const { account, token } = await aPatientSession();
  const forged = {
    'X-Auth-Account': 'someone',
    'X-Auth-Role': 'doctor',
    'X-Auth-Verification': 'verified',
    'X-Auth-Acr': 'aal2',
    'X-Forward-Auth': 'role=doctor',
  };
  const http = await check(token, '', { headers: { ...bearer(token), ...forged } });
  expect(identityOf(http)).toEqual([account.id, 'patient', '*', '', 'aal1']);
  const forgedLevel = await check(token, '?acr=aal2', { headers: { ...bearer(token), ...forged } });
  expect(forgedLevel.status).toBe(401);
});

test('other methods get 405, and a preflight of an allowed origin is no pass', async () => {
  const { token } = await aPatientSession();
  // A proxy that keeps the method of its caller would take a 2xx to OPTIONS for a pass.
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const http = await check(token, '', { method });
    expect([method, http.status, http.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
  }
  const headers = { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' };
  const preflight = await send(`${app.url}/forward-auth/envoy/private`, { method: 'OPTIONS', headers });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([401, null]);
});

test('a check is a use of the token', async () => {
  const { token } = await aPatientSession();
  await check(token);
  const lastUsedAt = new Date(testClock.now());
  await testClock.advance(1_000);
  await eventually(async () => {
    const tokens = app.database.db.collection<{ _id: string }>('access_tokens');
    expect(await tokens.findOne({ _id: tokenIdOf(token) })).toMatchObject({ lastUsedAt });
  });
});

describe('for Envoy', () => {
  /** Sends what Envoy sends: the method and path of its caller, and the headers of its configuration. */
  const ask = (token: string, method: string, target: string, required?: string) =>
    send(`${app.url}/forward-auth/envoy${target}`, {
      method,
      headers: { ...bearer(token), ...(required === undefined ? {} : { 'X-Forward-Auth': required }) },
    });

  test.each(['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD'])('%s of any path gets 200', async (method) => {
    const { account, token } = await aPatientSession();
    const http = await ask(token, method, '/records/1?role=doctor&x=%zz');
    expect([http.status, http.text, ...identityOf(http)]).toEqual([
      200,
      '',
      account.id,
      'patient',
      '*',
      '',
      'aal1',
    ]);
  });

  test('the requirements are in a header, and a wrong one lets nobody pass', async () => {
    const { token } = await aPatientSession();
    const statusOf = async (required: string) => (await ask(token, 'POST', '/', required)).status;
    const required = ['role=patient', 'role=doctor', 'verified=true', 'verified=0', 'role=admin', 'x'];
    expect(await Promise.all(required.map(statusOf))).toEqual([200, 403, 403, 400, 400, 400]);
    expect((await ask('x', 'GET', '/')).status).toBe(401);
  });

  test('only a path below it is for Envoy', async () => {
    const { token } = await aPatientSession();
    const statusOf = async (path: string) => (await ask(token, 'GET', path)).status;
    expect([await statusOf('x'), await statusOf('')]).toEqual([404, 200]);
  });
});

describe('FORWARD_AUTH', () => {
  const closed = useTestApp({ FORWARD_AUTH: 'off' });
  const inside = useTestApp({ FORWARD_AUTH: 'metrics', METRICS: 'on', METRICS_PORT: '0' });

  test('with off, there is no such path', async () => {
    const { token } = authenticated(await restApi(closed.url).registerPatient(aPatient()));
    expect((await check(token, '', {}, closed.url)).status).toBe(404);
  });

  test('with metrics, only the metrics port has it, and records it', async () => {
    const { account, token } = authenticated(await restApi(inside.url).registerPatient(aPatient()));
    expect((await check(token, '', {}, inside.url)).status).toBe(404);
    const http = await check(token, '', {}, inside.metricsUrl);
    expect([http.status, ...identityOf(http)]).toEqual([204, account.id, 'patient', '*', '', 'aal1']);
    expect((await check('x', '', {}, inside.metricsUrl)).status).toBe(401);
    await eventually(async () => {
      const { text } = await send(`${inside.metricsUrl}/metrics`);
      const count = 'auth_gateway_http_request_duration_seconds_count';
      expect(text).toContain(`${count}{channel="introspection",operation="forward-auth",status="204"} 1\n`);
      expect(text).toContain(`${count}{channel="introspection",operation="forward-auth",status="401"} 1\n`);
    });
    expect(inside.log.filter((line) => line.includes('"operation":"forward-auth"'))).toHaveLength(2);
  });
});

const RECIPES = [
  'nginx/forward-auth/appointments.conf',
  'caddy/forward-auth.Caddyfile',
  'traefik/forward-auth.yaml',
  'envoy/forward-auth.yaml',
];

/** How often a recipe names a header of the gateway: in full, as a variable of nginx, and as an end for Caddy. */
const mentionsIn = (recipe: string, name: string): number =>
  recipe.match(new RegExp(`(?:x[-_]auth[-_]|-\\*)${name}\\b`, 'gi'))?.length ?? 0;

// A header that a recipe copies, but does not remove from what comes in, is the caller's where the gateway sends none.
test('each recipe removes and copies every header that the gateway sends', async () => {
  const { headers } = await check((await aPatientSession()).token);
  const names = [...headers.keys()].flatMap((name) => /^x-auth-(.*)$/.exec(name)?.[1] ?? []);
  expect(names.sort()).toEqual(['abilities', 'account', 'acr', 'role', 'verification']);
  const recipes = await Promise.all(RECIPES.map((file) => readFile(`deploy/${file}`, 'utf8')));
  const mentions = recipes
    .map((recipe) => recipe.replace(/^ *#.*$/gm, ''))
    .map((recipe) => names.map((name) => mentionsIn(recipe, name)));
  expect(mentions).toEqual([
    [2, 2, 2, 2, 2],
    [3, 3, 3, 3, 3],
    [3, 3, 3, 3, 3],
    [2, 2, 2, 2, 2],
  ]);
});
