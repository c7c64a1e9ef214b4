import { registeredDoctor } from '../support/expectations.ts';
import { encodeForm } from '../support/multipart.ts';
import { aDoctor } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { exchange } from '../support/raw-socket.ts';
import { restApi } from '../support/rest-api.ts';
import { useTestApp } from '../support/test-app.ts';
import { answered, leavesNothing } from './support/harmless.ts';
import { registeredCredentials } from './support/somebody.ts';

const app = useTestApp();
/** This app uses the request ids of its proxy, which is the test. */
const behindProxy = useTestApp({ TRUST_PROXY: 'loopback' });
const LOGIN = '/api/v1/auth/login';

/** A JSON body to a path that is left as it is written. */
const post = (path: string, body: unknown) =>
  sendRaw(
    app.url,
    { method: 'POST', path, headers: { 'Content-Type': 'application/json' } },
    JSON.stringify(body),
  );

describe('a path', () => {
  const LOGINS = [
    ...[
      '//api/v1/auth/login',
      '/api//v1/auth/login',
      '/api/v1/auth//login',
      '/api/v1/auth/./login',
      '/./api/v1/auth/login',
    ],
    ...[
      '/api/v1/auth/x/../login',
      '/api/v1/auth/login/.',
      '/api/v1/auth/login/..',
      '/api/v1/auth/logout/../login',
    ],
    ...['/api/v1/auth%2flogin', '/api/v1/auth/log%69n', '/api/v1/auth%5clogin', '/%61pi/v1/auth/login'],
    ...[
      '/api/v1/auth/Login',
      '/api/v1/auth/LOGIN',
      '/api/v1/auth/login;x',
      '/api/v1/auth;x/login',
      '/api/v1/auth/login.',
    ],
    ...[
      '/api/v1/auth/login.json',
      '/api/v1/auth/login%20',
      '/api/v1/auth/login%00',
      '/api/v1/auth/login%0d%0aX:y',
    ],
    ...[
      '/api\\v1\\auth\\login',
      '/api/v1/auth/%C0%AE/login',
      '/api/v1/auth/log\\u0069n',
      '/api/v1/auth/*',
      '*',
    ],
  ];

  test.each(LOGINS)('%s is not the path of the login', async (path) => {
    const credentials = await registeredCredentials(app.url);
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
    () => '/storage/licenses/..%2f..%2f..%2fetc%2fpasswd',
    () => '/storage/licenses/....//....//etc/passwd',
    () => '/storage/%2e%2e/%2e%2e/etc/passwd',
    () => '/storage/.quarantine/',
    () => '/storage/%2equarantine',
    () => '/storage/licenses/.',
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
  const NOT_IDS = [
    'a b',
    'a\tb',
    'x'.repeat(65),
    'a,b',
    '\xe9',
    '"a"',
    '<script>',
    '{"a":1}',
    '%0d%0a',
    '../x',
    '',
  ];

  test.each(NOT_IDS)('the gateway replaces the request id %j', async (id) => {
    const options = { path: '/nothing', headers: { 'X-Request-Id': id } };
    const response = await answered(() => sendRaw(behindProxy.url, options));
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('the gateway replaces two request ids by one of its own', async () => {
    const options = { path: '/nothing', headers: { 'X-Request-Id': ['one', 'two'] } };
    const response = await answered(() => sendRaw(behindProxy.url, options));
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(['\r', '\n'])('%j alone does not break a header into two', async (lineEnd) => {
    const header = `X-Request-Id: a${lineEnd}Set-Cookie: b=c`;
    const answer = await exchange(app.url, ['GET /nothing HTTP/1.1', 'Host: x', header, '', ''].join('\r\n'));
    expect(answer?.status).toBe(400);
    expect(answer?.headers.get('set-cookie')).toBeNull();
  });

  test('the gateway refuses headers that give a body two lengths', async () => {
    const body = JSON.stringify(await registeredCredentials(app.url));
    const lines = [`POST ${LOGIN} HTTP/1.1`, 'Host: x', 'Content-Type: application/json'];
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

  test('no answer contains a Host header of the request', async () => {
    const { form, path } = restApi(app.url).doctorRequest(aDoctor());
    const { contentType, body } = await encodeForm(form);
    const headers = {
      'Content-Type': contentType,
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      Forwarded: 'host=evil.example',
    };
    const response = await answered(() => sendRaw(app.url, { method: 'POST', path, headers }, body));
    expect(response.status).toBe(201);
    expect(response.text).not.toContain('evil');
  });
});
