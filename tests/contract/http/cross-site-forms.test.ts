import { authenticated } from '../../support/expectations.ts';
import { type HttpResponse, jsonOf } from '../../support/http.ts';
import { encodeForm } from '../../support/multipart.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { restApi } from '../../support/rest-api.ts';
import { inventoryOf, type TestApp, useTestApp } from '../../support/test-app.ts';

const ALLOWED = 'https://app.example.org';
const FOREIGN = 'https://evil.example';
const MESSAGE = { message: 'Forms of other sites are not accepted.' };

const OF_PEOPLE = 'https://login.example.org';

const app = useTestApp({ CORS_ORIGINS: ALLOWED, PEOPLE_URL: `${OF_PEOPLE}/people` });
const withBaseUrl = useTestApp({ BASE_URL: 'https://auth.example.org/gateway' });

const { name, email, password } = aPatient();
const credentials = { email, password };
beforeAll(async () => {
  authenticated(await restApi(app.url).registerPatient({ name, ...credentials }));
});

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

const ACCEPTED: [string, Headers][] = [
  ['curl or a mobile client', {}],
  ['a page of an allowed origin', { 'Sec-Fetch-Site': 'cross-site', Origin: ALLOWED }],
  ['a page of an allowed origin, in an old browser', { Origin: ALLOWED }],
  ['the pages for people, in an old browser', { Origin: OF_PEOPLE }],
  ["the gateway's own page", { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }],
  ['the user', { 'Sec-Fetch-Site': 'none' }],
];

test('without BASE_URL, a page of the address that the gateway listens on may send forms', async () => {
  expect((await sendDoctor(app, { Origin: app.url })).status).toBe(201);
});

test('a page of BASE_URL may send forms, also if BASE_URL has a path', async () => {
  expect((await sendDoctor(withBaseUrl, { Origin: 'https://auth.example.org' })).status).toBe(201);
  expect((await sendDoctor(withBaseUrl, { Origin: 'http://auth.example.org' })).status).toBe(403);
});

/** Logs in with the right password. */
async function sendLogin(
  headers: Headers,
  encode: (fields: typeof credentials) => FormData | URLSearchParams,
) {
  const request = new Request(app.url, { method: 'POST', body: encode(credentials) });
  const body = Buffer.from(await request.arrayBuffer());
  const all = { 'Content-Type': request.headers.get('content-type') ?? '', ...headers };
  return sendRaw(app.url, { method: 'POST', path: '/api/v1/auth/login', headers: all }, body);
}

describe.each<[string, number, (headers: Headers) => Promise<HttpResponse>]>([
  ['the form of a doctor', 201, (headers) => sendDoctor(app, headers)],
  ['a url-encoded login', 200, (headers) => sendLogin(headers, (fields) => new URLSearchParams(fields))],
  ['a multipart login', 200, (headers) => sendLogin(headers, formOf)],
])('%s', (_what, accepted, sendForm) => {
  test.each(REFUSED)('the gateway refuses it from %s, and stores nothing', async (_case, headers) => {
    const before = await inventoryOf(app);
    const answer = await sendForm(headers);
    expect([answer.status, jsonOf(answer)]).toEqual([403, MESSAGE]);
    expect(await inventoryOf(app)).toEqual(before);
  });

  test.each(ACCEPTED)('the gateway accepts it from %s', async (_case, headers) => {
    expect((await sendForm(headers)).status).toBe(accepted);
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
    rememberPassword('short');
    const fields = { email, password: 'short' };
    const { status } = await post({ ...foreign, 'Content-Type': 'application/json' }, fields);
    expect(status).toBe(endpoint === 'login' ? 401 : 422);
  });
});
