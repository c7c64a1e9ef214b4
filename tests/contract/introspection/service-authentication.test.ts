import { once } from 'node:events';
import { isOfRequest } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { askEntities, reference, SUBGRAPH } from '../../support/federation.ts';
import { type HttpResponse, jsonOf, send } from '../../support/http.ts';
import { aPatient } from '../../support/people.ts';
import { trailOf } from '../../support/privacy.ts';
import { answerTo, openRequest, sendRaw } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { APPOINTMENTS, ask, basic, clientEntry, introspect, SERVICES } from '../../support/services.ts';
import { bearer } from '../../support/session.ts';
import {
  afterSums,
  createTestApp,
  letEventsBeWrittenAgain,
  type TestApp,
  testClock,
  useTestApp,
} from '../../support/test-app.ts';

/** A secret that an operator chose: OAuth's form encoding changes it. */
const BILLING = { id: 'billing.eu', secret: 'a+b c%25=d:e&äöü-and-enough-to-be-accepted' };
/** The second secret of a service whose secret is being replaced. */
const NEXT = { id: APPOINTMENTS.id, secret: 'the-next-secret-of-the-same-service-12345' };
const SHORT = { id: 'short', secret: 'thirty-one-characters-is-a-few-' };
/** Its character is also what invalid UTF-8 is decoded to. */
const BROKEN = { id: 'broken', secret: 'a secret with a replacement character \ufffd' };
const CLIENTS = [APPOINTMENTS, BILLING, NEXT, SHORT, BROKEN].map(clientEntry).join(',');

const app = useTestApp({ INTROSPECTION_CLIENTS: CLIENTS });
const closed = useTestApp();
const PATH = '/oauth/introspect';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const REFUSED = { error: 'invalid_client', error_description: 'Unknown service or wrong secret.' };
const statusOf = async (headers: Record<string, string>) => (await ask(app.url, 'token=x', headers)).status;
const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);

/** Right credentials: the Base64 of the first has padding, that of the second a `+`. */
const RIGHT = basic(APPOINTMENTS.id, APPOINTMENTS.secret).Authorization;
const IN_BASE64 = basic(BROKEN.id, BROKEN.secret).Authorization;
/** The unused bits of the last character before the padding are not zero. */
const withOtherBits = (header: string): string =>
  header.replace(/(.)(=+)$/, (_all, last: string, padding: string) => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    return `${alphabet[alphabet.indexOf(last) + 1]}${padding}`;
  });
/** The bytes of Latin-1 in place of the last character, which are no UTF-8. */
const asLatin1 = ({ id, secret }: typeof BROKEN): string =>
  Buffer.from(`${id}:${secret.slice(0, -1)}\xff`, 'latin1').toString('base64');

describe('credentials', () => {
  test.each<[string, Record<string, string>]>([
    ['are missing', {}],
    ['are empty', { Authorization: 'Basic ' }],
    ['are of an unknown service', basic('unknown', APPOINTMENTS.secret)],
    ['have an id in another case', basic('Appointments', APPOINTMENTS.secret)],
    ['have a wrong secret', basic(APPOINTMENTS.id, `${APPOINTMENTS.secret}x`)],
    ['have the secret of another service', basic(APPOINTMENTS.id, BILLING.secret)],
    ['have an empty secret', basic(APPOINTMENTS.id, '')],
    ['have an empty id', basic('', APPOINTMENTS.secret)],
    ['have no colon', { Authorization: `Basic ${Buffer.from('appointments').toString('base64')}` }],
    ['are not base64', { Authorization: 'Basic appointments:secret' }],
    ['have more after their base64', { Authorization: `${RIGHT}!!` }],
    ['have another padding', { Authorization: `${RIGHT}=` }],
    ['have a blank inside', { Authorization: RIGHT.replace(/.{4}$/, ' $&') }],
    ['have no padding', { Authorization: RIGHT.replace(/=+$/, '') }],
    ['have other bits at the end of their base64', { Authorization: withOtherBits(RIGHT) }],
    ['are base64url', { Authorization: IN_BASE64.replaceAll('+', '-').replaceAll('/', '_') }],
    ['are no UTF-8', { Authorization: `Basic ${asLatin1(BROKEN)}` }],
    ['are of a property of objects', basic('constructor', APPOINTMENTS.secret)],
    ['are of another scheme', { Authorization: 'Bearer x' }],
    [
      'have the digest in place of the secret',
      basic(APPOINTMENTS.id, clientEntry(APPOINTMENTS).split(':')[1] ?? ''),
    ],
    ['have a secret that is too short, though its digest is right', basic(SHORT.id, SHORT.secret)],
  ])('that %s get 401', async (_, headers) => {
    const http = await ask(app.url, 'token=x', headers);
    expect([http.status, jsonOf(http)]).toEqual([401, REFUSED]);
    expect(http.headers.get('www-authenticate')).toBe('Basic realm="auth-gateway", charset="UTF-8"');
    expect(http.headers.get('cache-control')).toBe('no-store');
  });

  test('in two headers get 401: a proxy may have used the other one', async () => {
    const { Authorization } = basic(APPOINTMENTS.id, APPOINTMENTS.secret);
    const headers = { ...FORM, Authorization: [Authorization, Authorization] };
    const http = await sendRaw(app.url, { method: 'POST', path: PATH, headers: headers as never }, 'token=x');
    expect(http.status).toBe(401);
  });

  test.each<[string, string, string]>([
    ['plain', BILLING.id, BILLING.secret],
    ['encoded like a form, as OAuth wants it', formEncoded(BILLING.id), formEncoded(BILLING.secret)],
    ['of the next secret', NEXT.id, NEXT.secret],
    ['of the current secret, with padding', APPOINTMENTS.id, APPOINTMENTS.secret],
    ['of a secret with a plus sign in its Base64', BROKEN.id, BROKEN.secret],
  ])('that are %s are accepted', async (_, id, secret) => {
    const { Authorization } = basic(id, secret);
    for (const scheme of ['Basic', 'bAsIc']) {
      expect(await statusOf({ Authorization: Authorization.replace('Basic', scheme) })).toBe(200);
    }
  });

  test('in a header are checked before the body is asked for', async () => {
    const wrong = basic(APPOINTMENTS.id, 'wrong');
    const headers = { ...FORM, ...wrong, Expect: '100-continue', 'Content-Length': '7' };
    const req = openRequest(app.url, { method: 'POST', path: PATH, headers });
    let isAskedFor = false;
    req.on('continue', () => {
      isAskedFor = true;
    });
    req.flushHeaders();
    expect([(await answerTo(req)).status, isAskedFor]).toEqual([401, false]);
  });
});

describe('credentials in the body (client_secret_post)', () => {
  const asked = (fields: [string, string][], headers: Record<string, string> = {}) =>
    ask(app.url, new URLSearchParams([['token', 'x'], ...fields]).toString(), headers);
  const [ID, SECRET] = [
    ['client_id', APPOINTMENTS.id],
    ['client_secret', APPOINTMENTS.secret],
  ] as [[string, string], [string, string]];

  test('are accepted, also of a secret with any characters', async () => {
    expect(jsonOf(await asked([ID, SECRET]))).toEqual({ active: false });
    const billing = await asked([
      ['client_secret', BILLING.secret],
      ['client_id', BILLING.id],
    ]);
    expect(billing.status).toBe(200);
    const [event] = await trailOf(app, { act: 'service authentication', service: BILLING.id });
    expect(event).toMatchObject({ outcome: 'success' });
  });

  test.each<[string, [string, string][]]>([
    ['none', []],
    ['an id alone', [ID]],
    ['a secret alone', [SECRET]],
    ['a wrong secret', [ID, ['client_secret', 'wrong']]],
    ['an unknown id', [['client_id', 'nobody'], SECRET]],
    ['two ids', [ID, ID, SECRET]],
    ['two secrets', [ID, SECRET, SECRET]],
  ])('%s: 401, as for a header', async (_what, fields) => {
    const http = await asked(fields);
    expect([http.status, jsonOf(http)]).toEqual([401, REFUSED]);
    expect(http.headers.get('www-authenticate')).toBe('Basic realm="auth-gateway", charset="UTF-8"');
  });

  test('beside a header: an id may be there, a second secret is one too many', async () => {
    const header = basic(APPOINTMENTS.id, APPOINTMENTS.secret);
    expect((await asked([ID], header)).status).toBe(200);
    const twice = await asked([ID, SECRET], header);
    expect([twice.status, jsonOf(twice)]).toMatchObject([400, { error: 'invalid_request' }]);
    // A wrong header is not made good by the body.
    expect((await asked([ID, SECRET], basic(APPOINTMENTS.id, 'wrong'))).status).toBe(401);
    expect((await asked([ID, SECRET], { Authorization: 'Bearer x' })).status).toBe(401);
  });

  test('in the query are none: proxies write it to their logs', async () => {
    const query = new URLSearchParams([ID, SECRET]).toString();
    const http = await send(`${app.url}${PATH}?${query}`, { method: 'POST', headers: FORM, body: 'token=x' });
    expect(http.status).toBe(401);
  });
});

test('libraries of OAuth find the introspection by its metadata', async () => {
  const address = `${app.url}/.well-known/oauth-authorization-server`;
  const http = await send(address);
  expect(jsonOf(http)).toEqual({
    issuer: app.url,
    introspection_endpoint: `${app.url}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  });
  expect([(await send(address, { method: 'POST' })).status, (await send(`${address}/x`)).status]).toEqual([
    405, 404,
  ]);
});

test('a body that takes more than 15 s gets 408', async () => {
  const credentials = basic(APPOINTMENTS.id, APPOINTMENTS.secret);
  const headers = { ...FORM, ...credentials, Expect: '100-continue', 'Content-Length': '7' };
  const req = openRequest(app.url, { method: 'POST', path: PATH, headers });
  req.flushHeaders();
  // The time for the body begins when the gateway asks for it.
  await once(req, 'continue');
  const answer = answerTo(req);
  req.write('token');
  await testClock.advance(15_000);
  expect((await answer).status).toBe(408);
});

test('without INTROSPECTION_CLIENTS the paths are unknown', async () => {
  const http = await ask(closed.url, 'token=x');
  const message = 'The route oauth/introspect could not be found.';
  expect([http.status, jsonOf(http)]).toEqual([404, { message }]);
  expect((await send(`${closed.url}/.well-known/oauth-authorization-server`)).status).toBe(404);
});

describe('attempts', () => {
  const limited = useTestApp({ ...SERVICES, RATE_LIMIT: 'on' });
  const LIMIT = 60;
  const wrong = () => ask(limited.url, 'token=x', basic(APPOINTMENTS.id, 'wrong'));

  test('wrong secrets of an address are limited, and a right secret is accepted even then', async () => {
    for (let time = 0; time < LIMIT; time += 1) {
      expect((await wrong()).status).toBe(401);
    }
    const http = await wrong();
    expect([http.status, jsonOf(http)]).toEqual([429, { message: 'Too Many Attempts.' }]);
    expect(http.headers.get('retry-after')).toBe('60');
    // A request without credentials has guessed nothing.
    expect((await ask(limited.url, 'token=x', {})).status).toBe(401);
    expect((await ask(limited.url, 'token=x')).status).toBe(200);
    await testClock.advance(60_000);
    expect((await wrong()).status).toBe(401);
  });
});

describe('records', () => {
  const HOUR_MILLIS = 3_600_000;
  let recorded: TestApp;
  beforeEach(async () => {
    recorded = await createTestApp({ ...SERVICES, METRICS: 'on', METRICS_PORT: '0' });
  });
  afterEach(() => recorded.stop());
  const events = () => trailOf(recorded, { act: 'service authentication' });

  test('the trail has the first question of a service, and by the hour the number of the others', async () => {
    const { token } = authenticated(await restApi(recorded.url).registerPatient(aPatient()));
    for (let time = 0; time < 5; time += 1) {
      await introspect(recorded.url, token);
    }
    const first = {
      outcome: 'success',
      service: 'appointments',
      ip: '127.0.0.1',
      door: 'introspection',
      count: null,
    };
    await eventually(async () => expect(await events()).toMatchObject([first]));
    await testClock.advance(HOUR_MILLIS);
    await eventually(async () => {
      await letEventsBeWrittenAgain();
      expect(await events()).toMatchObject([first, { ...first, count: 4 }]);
    });
    const [{ accountId, tokenId } = {}] = await events();
    expect([accountId, tokenId]).toEqual([null, null]);
  });

  test('the trail has refused services with the reason, and no id that is unknown', async () => {
    await ask(recorded.url, 'token=x', basic('a-secret-by-mistake', 'x'));
    await ask(recorded.url, 'token=x', basic(APPOINTMENTS.id, 'x'));
    await afterSums(async () => {
      expect(await events()).toMatchObject([
        { outcome: 'failure', reason: 'unknown service', service: null, count: null },
        { outcome: 'failure', reason: 'wrong secret', service: 'appointments', count: 1 },
      ]);
    });
    expect(JSON.stringify(await events())).not.toContain('by-mistake');
  });

  test('the log has the service and the account, and neither the token nor the secret', async () => {
    const { account, token } = authenticated(await restApi(recorded.url).registerPatient(aPatient()));
    const { headers } = await ask(recorded.url, `token=${encodeURIComponent(token)}`);
    const id = headers.get('x-request-id') ?? '';
    const lineOf = () => recorded.log.find((text) => text.includes(id));
    await eventually(() => expect(lineOf()).toBeDefined());
    expect(JSON.parse(lineOf() ?? '')).toMatchObject({
      channel: 'introspection',
      operation: 'introspect',
      path: PATH,
      service: 'appointments',
      accountId: account.id,
    });
    expect(recorded.log.join('')).not.toContain(APPOINTMENTS.secret);
  });

  test('the metrics count questions by service and outcome, and strangers add no label', async () => {
    const { token } = authenticated(await restApi(recorded.url).registerPatient(aPatient()));
    await introspect(recorded.url, token);
    succeeded(await restApi(recorded.url).logout(`Bearer ${token}`));
    await introspect(recorded.url, token);
    await ask(recorded.url, 'token=');
    await ask(recorded.url, 'token=x', basic('stranger', 'x'));
    await ask(recorded.url, 'token=x', basic('another', 'x'));
    await eventually(async () => {
      const { text } = await send(`${recorded.metricsUrl}/metrics`);
      const samples = [
        ...text.matchAll(/^auth_gateway_introspections_total\{service="(.*)",outcome="(.*)"\} (\d+)$/gm),
      ];
      expect(samples.map(([, ...labels]) => labels.join(' ')).sort()).toEqual([
        'appointments active 1',
        'appointments error 1',
        'appointments inactive 1',
        'none refused 2',
      ]);
    });
  });
});

describe('with the database away', () => {
  const behind = useProxiedApp(SUBGRAPH);

  test.each<[string, (url: string, token: string) => Promise<HttpResponse>]>([
    ['a question', (url, token) => ask(url, `token=${encodeURIComponent(token)}`)],
    ['a check', (url, token) => send(`${url}/forward-auth`, { headers: bearer(token) })],
    ['a look-up of accounts', (url) => askEntities(url, [reference('1')])],
  ])('%s gets 503 within 2 s of the clock, and never an answer', async (_what, request) => {
    const { app: away, proxy } = behind;
    const { token } = authenticated(await restApi(away.url).registerPatient(aPatient()));
    const held = proxy.hold(isOfRequest);
    const asked = request(away.url, token);
    await held.arrived(1);
    await testClock.advance(2_000);
    held.release();
    const http = await asked;
    expect([http.status, http.headers.get('x-auth-account')]).toEqual([503, null]);
    expect(http.text).toContain('"message":"Service Unavailable"');
    expect(Number(http.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});
