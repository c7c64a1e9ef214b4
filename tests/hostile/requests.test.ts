import { authenticated, registeredDoctor } from '../support/expectations.ts';
import { jsonOf, send, sendJson } from '../support/http.ts';
import { aDoctor, aPatient, freshEmail } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { exchange } from '../support/raw-socket.ts';
import { restApi } from '../support/rest-api.ts';
import { useTestApp } from '../support/test-app.ts';
import { answered, leavesNothing } from './support/harmless.ts';

const app = useTestApp();
/** This app uses the request ids of its proxy, which is the test. */
const behindProxy = useTestApp({ TRUST_PROXY: 'loopback' });
const API = '/api/v1/auth';
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A JSON body to a path that is left as it is written. */
const post = (path: string, body: unknown, headers: Record<string, string | string[]> = JSON_TYPE) =>
  sendRaw(app.url, { method: 'POST', path, headers }, JSON.stringify(body));

/** What somebody logs in with. */
const { name, ...credentials } = aPatient();
beforeAll(async () => {
  authenticated(await restApi(app.url).registerPatient({ name, ...credentials }));
});

describe('a path', () => {
  const LOGINS = [
    '//api/v1/auth/login',
    '/api/v1/auth//login',
    '/api/v1/auth/./login',
    '/api/v1/auth/x/../login',
    '/api/v1/auth/login/..',
    ...['/api/v1/auth%2flogin', '/api/v1/auth/log%69n', '/api/v1/auth%5clogin', '/%61pi/v1/auth/login'],
    '/api/v1/auth/LOGIN',
    '/api/v1/auth/login;x',
    '/api/v1/auth;x/login',
    '/api/v1/auth/login.',
    '/api/v1/auth/login.json',
    '/api/v1/auth/login%00',
    '/api/v1/auth/login%0d%0aX:y',
    '/api\\v1\\auth\\login',
    '/api/v1/auth/%C0%AE/login',
    '/api/v1/auth/log\\u0069n',
    '*',
  ];

  test.each(LOGINS)('%s is not the path of the login', async (path) => {
    await leavesNothing(app, async () => {
      const response = await answered(() => post(path, credentials));
      expect([400, 404]).toContain(response.status);
    });
  });

  test.each([
    '//graphql',
    '/graphql/.',
    '/graphql;x',
    '/graphql.',
    '/graphql%2f',
    '/%67raphql',
    '/graphql/x',
  ])('%s is not the path of the GraphQL API', async (path) => {
    const response = await answered(() => post(path, { query: '{ __typename }' }));
    expect([400, 404]).toContain(response.status);
  });

  const TRICKS: ((path: string) => string)[] = [
    (path) => path.replace('/storage/', '/storage//'),
    (path) => path.replace('/storage/', '/storage/./'),
    (path) => path.replace('/storage/', '/storage/x/../'),
    (path) => path.replace('/storage/', '/storage/%2e/'),
    (path) => path.replace('licenses/', 'licenses%2f'),
    (path) => path.replace('licenses/', 'licenses\\'),
    (path) => path.replace('licenses/', 'licenses//'),
    (path) => path.replace('licenses', 'LICENSES'),
    (path) => path.replace('licenses', 'diplomas'),
    (path) => path.replace('licenses', '%6cicenses'),
    (path) => path.replace('.pdf', '.PDF'),
    (path) => path.replace('.pdf', '%2epdf'),
    (path) => path.replace('.pdf', ''),
    (path) => `${path}.`,
    (path) => `${path}%00`,
    (path) => `${path}%20`,
    (path) => `${path}/`,
    (path) => `${path};x`,
    (path) => `${path}/../../../package.json`,
    (path) => `${path}::$DATA`,
    () => '/storage/licenses/%',
  ];

  test('a document has only the path that its URL spells', async () => {
    const { profile } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
    const { pathname } = new URL(profile.licenseFileUrl);
    expect((await sendRaw(app.url, { path: pathname })).status).toBe(200);
    for (const trick of TRICKS) {
      const response = await answered(() => sendRaw(app.url, { path: trick(pathname) }));
      expect([400, 404]).toContain(response.status);
      expect(response.text).not.toMatch(/%PDF|root:|"name"/);
    }
  });
});

describe('a header', () => {
  const NOT_IDS = ['a b', 'a\tb', 'x'.repeat(65), 'a,b', '\xe9', '"a"', '{"a":1}', '%0d%0a', '../x', ''];

  test.each(NOT_IDS)('the gateway replaces the request id %j', async (id) => {
    const options = { path: '/nothing', headers: { 'X-Request-Id': id } };
    const response = await answered(() => sendRaw(behindProxy.url, options));
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('the gateway replaces two request ids by one of its own, another one for each request', async () => {
    const options = { path: '/nothing', headers: { 'X-Request-Id': ['one', 'two'] } };
    const idOf = async () =>
      (await answered(() => sendRaw(behindProxy.url, options))).headers.get('x-request-id');
    const id = await idOf();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf()).not.toBe(id);
  });

  test.each(['\r', '\n'])('%j alone does not break a header into two', async (lineEnd) => {
    const header = `X-Request-Id: a${lineEnd}Set-Cookie: b=c`;
    const answer = await exchange(app.url, ['GET /nothing HTTP/1.1', 'Host: x', header, '', ''].join('\r\n'));
    expect(answer?.status).toBe(400);
    expect(answer?.headers.get('set-cookie')).toBeNull();
  });

  test('the gateway refuses headers that give a body two lengths', async () => {
    const body = JSON.stringify(credentials);
    const lines = [`POST ${API}/login HTTP/1.1`, 'Host: x', 'Content-Type: application/json'];
    const lengths = [
      [`Content-Length: ${body.length}`, 'Content-Length: 3'],
      [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'],
      [`Content-Length: ${body.length}, 3`],
      [`Content-Length: +${body.length}`],
      ['Content-Length: 0x10'],
      ['Transfer-Encoding: chunked, identity'],
      [`Content-Length : ${body.length}`],
    ];
    await leavesNothing(app, async () => {
      for (const length of lengths) {
        const answer = await exchange(app.url, [...lines, ...length, '', body].join('\r\n'));
        expect(answer?.status).toBe(400);
      }
    });
  });
});

describe('a method', () => {
  const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];

  test.each(OVERRIDES)('%s does not override the method of a request', async (header) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const headers = { ...JSON_TYPE, [header]: 'POST' };
      const options = { method, path: `${API}/login`, headers };
      await leavesNothing(app, async () =>
        expect((await answered(() => sendRaw(app.url, options, JSON.stringify(credentials)))).status).toBe(
          405,
        ),
      );
      const overridden = { ...JSON_TYPE, [header]: method };
      expect((await answered(() => post(`${API}/login`, credentials, overridden))).status).toBe(200);
    }
  });

  test('_method in the query, the body or a form does not override the method of a request', async () => {
    for (const method of ['PUT', 'DELETE']) {
      expect((await post(`${API}/login?_method=${method}`, credentials)).status).toBe(200);
      expect((await post(`${API}/login`, { ...credentials, _method: method })).status).toBe(200);
      const { form, ...request } = restApi(app.url).doctorRequest(aDoctor({ _method: method }));
      expect((await send(`${app.url}${request.path}`, { method: 'POST', body: form })).status).toBe(201);
    }
    expect((await send(`${app.url}${API}/login?_method=POST`)).status).toBe(405);
  });
});

describe('a parameter', () => {
  test.each(['login', 'register/patient', 'register/doctor'])(
    'a parameter in the query string replaces no field of a body to %s',
    async (path) => {
      const { email, password } = credentials;
      const query = new URLSearchParams({
        name: 'x',
        email,
        password,
        'email[$gt]': '',
        'user[email]': email,
      });
      await leavesNothing(app, async () => {
        const response = await answered(() => sendJson(`${app.url}${API}/${path}?${query}`, {}));
        expect(response.status).toBe(422);
        expect(jsonOf(response)).toMatchObject({ errors: { email: ['The email field is required.'] } });
      });
    },
  );

  test('a parameter in the query string does not override the body', async () => {
    const { email, password } = credentials;
    const response = await post(`${API}/login?email=x@example.org&email[]=y&password=z`, { email, password });
    expect(jsonOf(response)).toMatchObject({ data: { email } });
  });

  test('the last of two equal keys in a JSON body counts for every reader', async () => {
    const { email, password } = credentials;
    const twice = (one: string, other: string) =>
      `{"email":${JSON.stringify(one)},"password":${JSON.stringify(password)},"email":${JSON.stringify(other)}}`;
    expect((await sendJson(`${app.url}${API}/login`, twice(freshEmail(), email))).status).toBe(200);
    expect((await sendJson(`${app.url}${API}/login`, twice(email, freshEmail()))).status).toBe(401);
  });
});

describe('a content type', () => {
  test('the first of two Content-Type headers counts', async () => {
    const twice = (...types: string[]) => post(`${API}/login`, credentials, { 'Content-Type': types });
    expect((await answered(() => twice('application/json', 'text/plain'))).status).toBe(200);
    expect((await answered(() => twice('text/plain', 'application/json'))).status).toBe(415);
  });
});
