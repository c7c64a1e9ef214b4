import path from 'node:path';
import { throughEachApi } from '../../support/apis.ts';
import { named } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, registeredDoctor, succeeded } from '../../support/expectations.ts';
import { type HttpResponse, send, sendJson } from '../../support/http.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { openRequest, sendRaw } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { type TestApp, useTestApp } from '../../support/test-app.ts';

// The log has one line per request, with what operators need and without secrets.
const DOCUMENTS = { DOCUMENT_ACCESS: 'signed', DOCUMENT_URL_SECRET: 'x'.repeat(32) };
// The tests find requests by the id that they send like a proxy.
const behind = useProxiedApp({ TRUST_PROXY: 'loopback', PAGES: 'on', ...DOCUMENTS });
let app: TestApp;
beforeAll(() => {
  app = behind.app;
});

const INFO = 30;
const DEBUG = 20;

interface Line {
  level: number;
  msg: string;
  path?: string;
  [field: string]: unknown;
}

const requestLines = (): Line[] =>
  app.log.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request');

/** The one line of a request that has been answered. */
const lineOf = ({ headers }: HttpResponse): Promise<Line> => lineWith(headers.get('x-request-id'));

/** The one line with a request id, when it is there. */
async function lineWith(requestId: string | null): Promise<Line> {
  let lines: Line[] = [];
  await eventually(() => {
    lines = requestLines().filter((line) => line.requestId === requestId);
    expect(lines).toHaveLength(1);
  });
  return lines[0] as Line;
}

throughEachApi((apiOf) => {
  const isRest = apiOf === restApi;
  const channel = isRest ? 'rest' : 'graphql';

  test('the log has one line for every request with operation, account, duration and status', async () => {
    const { account, token, http } = authenticated(await apiOf(app.url).registerPatient(aPatient()));
    const line = await lineOf(http);
    expect(line).toEqual({
      level: INFO,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: 'request',
      requestId: http.headers.get('x-request-id'),
      method: 'POST',
      path: isRest ? '/api/v1/auth/register/patient' : '/graphql',
      channel,
      operation: isRest ? 'register/patient' : 'registerPatient',
      ...(isRest ? {} : { operationName: 'RegisterPatient' }),
      status: isRest ? 201 : 200,
      durationMillis: expect.any(Number),
      accountId: account.id,
      ip: '127.0.0.1',
    });
    expect(line.durationMillis).toBeGreaterThan(1);
    const loggedOut = succeeded(await apiOf(app.url).logout(`Bearer ${token}`));
    expect(await lineOf(loggedOut.http)).toMatchObject({ operation: 'logout', accountId: account.id });
  });

  test('the log has the account of a refused login, if there is one', async () => {
    const patient = aPatient();
    const { account } = authenticated(await apiOf(app.url).registerPatient(patient));
    const wrong = refused(
      await apiOf(app.url).login({ ...patient, password: freshPassword() }),
      'credentials',
    );
    expect(await lineOf(wrong.http)).toMatchObject({ operation: 'login', accountId: account.id });
    const stranger = { email: freshEmail(), password: freshPassword() };
    const unknown = refused(await apiOf(app.url).login(stranger), 'credentials');
    expect(await lineOf(unknown.http)).not.toHaveProperty('accountId');
  });

  test('the log has the size of an upload', async () => {
    const { http } = registeredDoctor(await apiOf(app.url).registerDoctor(aDoctor()));
    expect((await lineOf(http)).uploadBytes).toBeGreaterThan(200);
  });

  test('the log has status 499 for a caller that does not wait for the answer', async () => {
    const query = 'mutation Gone($input: LoginInput!) { login(input: $input) { token } }';
    const credentials = { email: freshEmail(), password: freshPassword() };
    const req = openRequest(app.url, {
      method: 'POST',
      path: isRest ? '/api/v1/auth/login' : '/graphql',
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': `gone-${channel}` },
    });
    const lookUp = behind.proxy.hold(named('find accounts'));
    req.end(JSON.stringify(isRest ? credentials : { query, variables: { input: credentials } }));
    await lookUp.arrived(1);
    req.destroy();
    const line = await lineWith(`gone-${channel}`);
    lookUp.release();
    expect(line).toMatchObject({ channel, operation: 'login', status: 499, aborted: true, ip: '127.0.0.1' });
  });
});

test('the log contains no query string, which may contain signatures and variables', async () => {
  const { profile, token } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const document = new URL(profile.licenseFileUrl);
  const line = await lineOf(await send(document.href));
  expect(line).toMatchObject({
    method: 'GET',
    channel: 'storage',
    path: shortened(document.pathname),
    status: 200,
  });
  await lineOf(await send(`${app.url}/graphql?query=${encodeURIComponent('{ me { secretQuery: id } }')}`));
  await accountOf(app.url, token);
  expect(document.searchParams.get('signature')).toBeTruthy();
  expect(app.log.join('')).not.toContain(document.searchParams.get('signature'));
  expect(app.log.join('')).not.toContain('secretQuery');
});

/** The group and the first characters of the name. */
const shortened = (pathname: string) => `${pathname.slice(0, pathname.lastIndexOf('/') + 7)}…`;

describe('the path of a public document in the log', () => {
  const publicApp = useTestApp();
  const logOf = () => publicApp.log.join('');

  test('the log has only the group and the first characters of a document path', async () => {
    const { profile } = registeredDoctor(await restApi(publicApp.url).registerDoctor(aDoctor()));
    for (const url of [profile.licenseFileUrl, profile.diplomaFileUrl, profile.certificationUrl]) {
      const { pathname } = new URL(url);
      expect((await send(url)).status).toBe(200);
      await eventually(() => expect(logOf()).toContain(JSON.stringify(shortened(pathname))));
      expect(logOf()).not.toContain(pathname.slice(pathname.lastIndexOf('/') + 1, -4));
    }
  });

  let name: string;
  beforeAll(async () => {
    const { profile } = registeredDoctor(await restApi(publicApp.url).registerDoctor(aDoctor()));
    name = path.basename(profile.licenseFileUrl, '.pdf');
  });

  test.each([
    ['with another extension', '/storage/licenses/{name}.png', '/storage/licenses/{start}…'],
    ['with one character more', '/storage/licenses/{name}x.pdf', '/storage/licenses/{start}…'],
    ['with one character less', '/storage/licenses/{less}.pdf', '/storage/licenses/{start}…'],
    ['with a slash behind it', '/storage/licenses/{name}.pdf/', '/storage/licenses/{start}…'],
    ['with slashes doubled', '//storage//licenses//{name}.pdf', '//storage//licenses//{start}…'],
    ['with slashes encoded', '/storage%2flicenses%2F{name}.pdf', '/storage%2flicenses%2F{start}….pdf'],
    ['with a query', '/storage/licenses/{name}.pdf?signature=hunter2', '/storage/licenses/{start}…'],
    ['without its group', '/storage/{name}.pdf', '/storage/{start}….pdf'],
    ['in another group', '/storage/diplomas/{name}.pdf', '/storage/diplomas/{start}…'],
    ['in capitals', '/STORAGE/licenses/{name}.pdf', '/STORAGE/licenses/{start}…'],
    ['below another path', '/files/storage/licenses/{name}.pdf', '/files/storage/licenses/{start}….pdf'],
    ['in full', 'http://gateway.example/storage/licenses/{name}.pdf', '/storage/licenses/{start}…'],
    ['behind the API', '/api/v1/auth/licenses/{name}.pdf', '/api/v1/auth/licenses/{start}….pdf'],
  ])('the log shortens a document path %s', async (_what, asked, logged) => {
    const before = publicApp.log.length;
    const sent = asked.replace('{name}', name).replace('{less}', name.slice(0, -1));
    await sendRaw(publicApp.url, { path: sent });
    await eventually(() => {
      const paths = publicApp.log.slice(before).map((text) => (JSON.parse(text) as Line).path);
      expect(paths).toContain(logged.replace('{start}', name.slice(0, 6)));
    });
    expect(logOf()).not.toContain(name.slice(0, 31));
    expect(logOf()).not.toContain('hunter2');
  });

  test('the log shortens a document path of the maximum length', async () => {
    const http = await sendRaw(publicApp.url, {
      path: `/${'/storage'.repeat(1_000)}/${'a%2f'.repeat(1_000)}`,
    });
    expect(http.status).toBe(404);
    await eventually(() => {
      const paths = publicApp.log.map((text) => (JSON.parse(text) as Line).path);
      expect(paths).toContain('//storage/storage/storag…');
    });
  });
});

test('the log has only the path of an absolute URL, which may contain a password', async () => {
  const asked = 'http://ada:hunter2@gateway.example/nowhere?password=hunter3';
  const line = await lineOf(await sendRaw(app.url, { path: asked }));
  expect(line).toMatchObject({ path: '/nowhere', status: 404 });
  expect(app.log.join('')).not.toContain('hunter');
});

test('the log has the first 64 characters of an operation name, if it is a name', async () => {
  const nameOf = async (operationName: string, query = `query ${operationName} { __typename }`) => {
    const http = await sendJson(`${app.url}/graphql`, { query, operationName });
    return (await lineOf(http)).operationName;
  };
  const long = `Q${'x'.repeat(200)}`;
  expect(await nameOf('Mine')).toBe('Mine');
  expect(await nameOf(long)).toBe(long.slice(0, 64));
  expect(await nameOf('Mine\n{"level":60}', 'query Other { __typename }')).toBeUndefined();
  expect(await nameOf('Unfit', 'query Unfit { nothing }')).toBe('Unfit');
});

test.each([
  ['{ __typename }', 'introspection'],
  ['{ me { id } __typename }', 'me'],
  ['{ a: me { id } b: me { id } }', 'me'],
  ['query { ...F } fragment F on Query { ... { myTokens { id } } }', 'myTokens'],
  ['{ me { id } myTokens { id } }', 'several'],
  ['{ nothingOfOurs }', undefined],
])('the operation of %s is %s', async (query, operation) => {
  expect((await lineOf(await sendJson(`${app.url}/graphql`, { query }))).operation).toBe(operation);
});

test('the log truncates a path and has no operation for an unknown route', async () => {
  const line = await lineOf(await send(`${app.url}/api/v1/auth/${'x'.repeat(1000)}`));
  expect(line).toMatchObject({ channel: 'rest', status: 404 });
  expect(line.path).toHaveLength(256);
  expect(line).not.toHaveProperty('operation');
});

test('the log has the files of a page only at level debug, unless they are missing', async () => {
  const page = await send(`${app.url}/`, { headers: { accept: 'text/html' } });
  const [, asset = ''] = /href="(assets\/[^"]+)"/.exec(page.text) ?? [];
  expect(await lineOf(await send(`${app.url}/${asset}`))).toMatchObject({ level: DEBUG, status: 200 });
  expect(await lineOf(await send(`${app.url}/assets/none.js`))).toMatchObject({ level: INFO, status: 404 });
});

test('the log has health checks only at level debug', async () => {
  for (const path of ['/healthz', '/readyz']) {
    expect(await lineOf(await send(app.url + path))).toMatchObject({ level: DEBUG, path });
  }
});

describe('at LOG_LEVEL=warn', () => {
  const quiet = useTestApp({ LOG_LEVEL: 'warn' });

  test('the log has no requests at LOG_LEVEL=warn', async () => {
    authenticated(await restApi(quiet.url).registerPatient(aPatient()));
    expect(quiet.log).toEqual([]);
  });
});
