import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { jsonOf } from '../../support/http.ts';
import { encodeForm } from '../../support/multipart.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { restApi } from '../../support/rest-api.ts';
import { createTestApp, inventoryOf, type TestApp, useTestApp } from '../../support/test-app.ts';

const ALLOWED = 'https://app.example.org';
const FOREIGN = 'https://evil.example';
const MESSAGE = { message: 'Forms of other sites are not accepted.' };

const OF_PEOPLE = 'https://login.example.org';

const app = useTestApp({ CORS_ORIGINS: ALLOWED, PEOPLE_URL: `${OF_PEOPLE}/people` });

type Headers = Record<string, string>;

/** Sends a doctor's form like a browser, with headers that no script can set. It does not use fetch, which sets its own. */
async function sendDoctor({ url }: TestApp, headers: Headers) {
  const { path, form } = restApi(url).doctorRequest(aDoctor());
  const { contentType, body } = await encodeForm(form);
  const all = { 'Content-Type': contentType, 'Content-Length': body.length, ...headers };
  return sendRaw(url, { method: 'POST', path, headers: all }, body);
}

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value);
  }
  return form;
}

const REFUSED: [string, Headers][] = [
  ['a page of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: FOREIGN }],
  ['a page of another site that hides its origin', { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' }],
  ['a page of another site without an origin', { 'Sec-Fetch-Site': 'cross-site' }],
  ['a page of a sister host', { 'Sec-Fetch-Site': 'same-site', Origin: 'https://www.example.org' }],
  ['a page of another site, in an old browser', { Origin: FOREIGN }],
  ['a sandboxed frame or a file, in an old browser', { Origin: 'null' }],
  ['an origin that begins like an allowed one', { Origin: `${ALLOWED}.evil.example` }],
  ['an allowed origin in capitals, which no browser sends', { Origin: ALLOWED.toUpperCase() }],
  ['two origins at once', { Origin: `${ALLOWED}, ${FOREIGN}` }],
  ['a site that is unknown', { 'Sec-Fetch-Site': 'elsewhere' }],
];

test.each(REFUSED)('the gateway refuses the form of a doctor from %s', async (_case, headers) => {
  const before = await inventoryOf(app);
  const answer = await sendDoctor(app, headers);
  expect([answer.status, jsonOf(answer)]).toEqual([403, MESSAGE]);
  expect(await inventoryOf(app)).toEqual(before);
});

const ACCEPTED: [string, Headers][] = [
  ['curl or a mobile client', {}],
  ['a page of an allowed origin', { 'Sec-Fetch-Site': 'cross-site', Origin: ALLOWED }],
  ['a page of an allowed origin, in an old browser', { Origin: ALLOWED }],
  ['the pages for people, in an old browser', { Origin: OF_PEOPLE }],
  ["the gateway's own page", { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }],
  ['the user', { 'Sec-Fetch-Site': 'none' }],
];

test.each(ACCEPTED)('the gateway accepts the form of a doctor from %s', async (_case, headers) => {
  registeredDoctor(restApi(app.url).doctorOutcome(await sendDoctor(app, headers)));
});

test('without BASE_URL, a page of the address that the gateway listens on may send forms', async () => {
  registeredDoctor(restApi(app.url).doctorOutcome(await sendDoctor(app, { Origin: app.url })));
});

test('a page of BASE_URL may send forms, also if BASE_URL has a path', async () => {
  const public_ = await createTestApp({ BASE_URL: 'https://auth.example.org/gateway' });
  try {
    const answer = await sendDoctor(public_, { Origin: 'https://auth.example.org' });
    registeredDoctor(restApi(public_.url).doctorOutcome(answer));
    expect((await sendDoctor(public_, { Origin: 'http://auth.example.org' })).status).toBe(403);
  } finally {
    await public_.stop();
  }
});

describe.each([
  ['a url-encoded form', (fields: Record<string, string>) => new URLSearchParams(fields)],
  ['a multipart form', formOf],
])('the login by %s', (_kind, encode) => {
  /** Logs in with the right password. */
  async function login(headers: Headers) {
    const { email, password } = aPatient();
    authenticated(await restApi(app.url).registerPatient({ name: 'Pat', email, password }));
    const request = new Request(app.url, { method: 'POST', body: encode({ email, password }) });
    const body = Buffer.from(await request.arrayBuffer());
    const all = { 'Content-Type': request.headers.get('content-type') ?? '', ...headers };
    const before = await inventoryOf(app);
    const answer = await sendRaw(app.url, { method: 'POST', path: '/api/v1/auth/login', headers: all }, body);
    return { answer, before };
  }

  test.each(REFUSED)('the gateway refuses it from %s, and issues no token', async (_case, headers) => {
    const { answer, before } = await login(headers);
    expect([answer.status, jsonOf(answer)]).toEqual([403, MESSAGE]);
    expect(await inventoryOf(app)).toEqual(before);
  });

  test.each(ACCEPTED)('the gateway accepts it from %s', async (_case, headers) => {
    expect((await login(headers)).answer.status).toBe(200);
  });
});

describe.each(['login', 'register/patient', 'register/doctor'])('%s', (endpoint) => {
  const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: FOREIGN };
  const post = (headers: Headers, fields: object = {}) =>
    sendRaw(app.url, { method: 'POST', path: `/api/v1/auth/${endpoint}`, headers }, JSON.stringify(fields));

  test.each([
    'text/plain',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data, application/json',
    '',
  ])(
    'the gateway refuses a foreign body of type %j, which a browser sends without a preflight',
    async (type) => {
      const answer = await post({ ...foreign, ...(type && { 'Content-Type': type }) });
      expect([answer.status, jsonOf(answer)]).toEqual([403, MESSAGE]);
    },
  );

  test('the gateway reads foreign JSON, for which a browser sends a preflight', async () => {
    const { email } = aPatient();
    rememberPassword('short');
    const fields = { email, password: 'short' };
    const { status } = await post({ ...foreign, 'Content-Type': 'application/json' }, fields);
    expect(status).toBe(endpoint === 'login' ? 401 : 422);
  });
});
