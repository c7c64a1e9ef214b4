// What a caller of the legacy service notices: the tables of docs/migration/differences.md. Each row is a test.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { isOfRequest } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { aPdf, CONTENT, type TestDocument } from '../../support/documents.ts';
import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { type HttpResponse, jsonOf, send, sendJson } from '../../support/http.ts';
import { importAccount, importToken } from '../../support/legacy.ts';
import { openForm } from '../../support/multipart.ts';
import { aDoctor, aPatient, type Fields, freshEmail, freshPassword } from '../../support/people.ts';
import { answerTo, openRequest, sendRaw } from '../../support/raw-http.ts';
import { exchange } from '../../support/raw-socket.ts';
import { rememberToken } from '../../support/response-record.ts';
import { restApi } from '../../support/rest-api.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const ORIGIN = 'https://app.example.org';
const FORM = 'application/x-www-form-urlencoded';
const BODY_SECONDS = 15;

const app = useTestApp({ CORS_ORIGINS: ORIGIN });
const numbered = useTestApp({ ID_FORMAT: 'integer', MAX_ADDRESS_UPLOADS: '1' });
const limited = useTestApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: '1',
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1',
});
const proxied = useProxiedApp();

/** Sends bytes to an endpoint below `/api/v1/auth`. The headers are sent unchanged, so there is no `Accept`. */
const post = (
  path: string,
  body: string | Buffer,
  headers: Record<string, string | string[]> = {},
): Promise<HttpResponse> => {
  const all = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  return sendRaw(app.url, { method: 'POST', path: `/api/v1/auth/${path}`, headers: all }, body);
};
const urlencoded = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const login = (fields: unknown) => sendJson(`${app.url}/api/v1/auth/login`, fields);
const registerPatient = (fields: Fields = {}) =>
  sendJson(`${app.url}/api/v1/auth/register/patient`, aPatient(fields));
const registerDoctor = (fields: Fields = {}) => restApi(app.url).registerDoctor(aDoctor(fields));
const logout = (headers: Record<string, string | string[]>) =>
  sendRaw(app.url, { method: 'POST', path: '/api/v1/auth/logout', headers });

/** A patient with a valid token. */
async function somebody() {
  const patient = aPatient();
  const { token } = authenticated(await restApi(app.url).registerPatient(patient));
  return { ...patient, token };
}

const errorsOf = (response: HttpResponse) =>
  jsonOf<{ errors?: Record<string, string[]> }>(response).errors ?? {};
const messageOf = (response: HttpResponse) => jsonOf<{ message?: string }>(response).message;

/** Expects a refusal with texts of these fields. */
function expectErrors(response: HttpResponse, errors: Record<string, string>): void {
  const expected = Object.entries(errors).map(([field, text]) => [field, [text]]);
  expect([response.status, errorsOf(response)]).toEqual([422, Object.fromEntries(expected)]);
}
const expectStatus = ({ status, text }: HttpResponse, expected: number) =>
  expect({ status, text }).toEqual({ status: expected, text: expect.any(String) });

const REQUIRED = { email: 'The email field is required.', password: 'The password field is required.' };

const REQUESTS: Record<string, () => Promise<unknown>> = {
  'Query parameters': async () => {
    const query = urlencoded({ email: freshEmail(), password: 'correct horse' });
    expectErrors(await post(`login?${query}`, '{}'), REQUIRED);
    expectErrors(await post(`login?${query}`, '', { 'Content-Type': FORM }), REQUIRED);
  },
  'Malformed JSON': async () => expectStatus(await post('login', '{"email":'), 400),
  'Multipart forms whose lines end in LF alone': async () => {
    const form = '--b\r\nContent-Disposition: form-data; name="email"\r\n\r\na\r\n--b--\r\n';
    const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
    expectStatus(await post('login', form.replaceAll('\r\n', '\n'), type), 400);
    expectStatus(await post('login', form, type), 422);
  },
  'Parts of a form that cannot be read in one way': async () => {
    const form = '--b\r\nContent-Disposition: form-data; name="email"; name="name"\r\n\r\na\r\n--b--\r\n';
    const refused = await post('login', form, { 'Content-Type': 'multipart/form-data; boundary=b' });
    expectStatus(refused, 400);
    expect(messageOf(refused)).toContain('form data: a parameter of a part is sent twice.');
  },
  'Body of a type that is not read': async () => {
    const refused = await post('login', '<email/>', { 'Content-Type': 'text/xml' });
    expectStatus(refused, 415);
    expect(messageOf(refused)).toContain('application/json');
  },
  'Compressed body': async () =>
    expectStatus(await post('login', gzipSync('{}'), { 'Content-Encoding': 'gzip' }), 415),
  'Other character sets than UTF-8': async () => {
    const latin = { 'Content-Type': 'application/json; charset=iso-8859-1' };
    expectStatus(await post('login', '{}', { 'Content-Type': 'application/json; charset=utf-16' }), 415);
    expectStatus(await post('login', '{"email":"\u00fc"}', latin), 415);
    expectStatus(await post('login', '{}', latin), 422);
  },
  'Bytes that are not UTF-8': async () => {
    expectStatus(await post('login', Buffer.from('{"email":"\xff"}', 'latin1')), 400);
    expectStatus(await post('login', 'email=%ff', { 'Content-Type': FORM }), 400);
  },
  'Half a surrogate pair in JSON, `\\ud800`': async () =>
    expectErrors(await registerPatient({ name: 'Pat \ud800' }), {
      name: 'The name field format is invalid.',
    }),
  'Size of JSON and of forms without documents': async () => {
    const long = 'x'.repeat(100 * 1024);
    expectStatus(await post('login', JSON.stringify({ long })), 413);
    expectStatus(await post('login', urlencoded({ long }), { 'Content-Type': FORM }), 413);
    expectStatus(await post('login', JSON.stringify({ long: long.slice(100) })), 422);
  },
  'Number of fields of a form': async () => {
    const fields = (count: number) =>
      urlencoded(Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, ''])));
    expectStatus(await post('login', fields(33), { 'Content-Type': FORM }), 413);
    expectStatus(await post('login', fields(32), { 'Content-Type': FORM }), 422);
  },
  'Slow bodies': async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '100', Expect: '100-continue' };
    const req = openRequest(app.url, { method: 'POST', path: '/api/v1/auth/login', headers });
    const isReading = new Promise((resolve) => req.once('continue', resolve));
    req.flushHeaders();
    await isReading;
    const answer = answerTo(req);
    await testClock.advance(BODY_SECONDS * 1000);
    expectStatus(await answer, 408);
  },
  'Concurrent uploads of one address': async () => {
    const { path, headers, form } = restApi(numbered.url).doctorRequest(aDoctor());
    const { req } = await openForm(numbered.url, {
      path,
      form,
      headers: { ...headers, Expect: '100-continue' },
    });
    const isReading = new Promise((resolve) => req.once('continue', resolve));
    req.flushHeaders();
    await isReading;
    expectStatus((await restApi(numbered.url).registerDoctor(aDoctor())).http, 429);
    req.destroy();
  },
  'Size of the headers': async () => {
    const withLong = (characters: number) =>
      exchange(
        app.url,
        `POST /api/v1/auth/logout HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Long: ${'x'.repeat(characters)}\r\n\r\n`,
      );
    expect([(await withLong(17 * 1024))?.status, (await withLong(15 * 1024))?.status]).toEqual([431, 401]);
  },
  'Names with brackets in forms, `email[]`': async () => {
    const body = urlencoded({ 'email[]': freshEmail(), 'password[first]': 'correct horse' });
    expectErrors(await post('login', body, { 'Content-Type': FORM }), REQUIRED);
  },
  'Files in the forms of a patient and of a login': async () => {
    const form = new FormData();
    form.append('email', new Blob(['pat@example.org']), 'email.txt');
    form.append('password', freshPassword());
    const sent = () => ({ method: 'POST', body: form });
    expectErrors(await send(`${app.url}/api/v1/auth/login`, sent()), { email: REQUIRED.email });
    form.append('name', 'Pat');
    expectErrors(await send(`${app.url}/api/v1/auth/register/patient`, sent()), { email: REQUIRED.email });
  },
  '`_method` and `X-HTTP-Method-Override`': async () => {
    const { email, password } = await somebody();
    const body = urlencoded({ _method: 'DELETE', email, password });
    expectStatus(await post('login', body, { 'Content-Type': FORM, 'X-HTTP-Method-Override': 'PUT' }), 200);
  },
  'Two `Authorization` headers': async () => {
    const { token } = await somebody();
    const Authorization = `Bearer ${token}`;
    expectStatus(await logout({ Authorization: [Authorization, Authorization] }), 401);
    expectStatus(await logout({ Authorization }), 200);
  },
  'More than a token in `Authorization`': async () => {
    const { token } = await somebody();
    expectStatus(await logout({ Authorization: `Bearer ${token}, Bearer ${token}` }), 401);
    expectStatus(await logout({ Authorization: `Basic x, Bearer ${token}` }), 401);
  },
  'A token without its id': async () => {
    const secretOf = (token: string) => token.slice(token.indexOf('|') + 1);
    const { token } = await somebody();
    rememberToken(secretOf(token));
    expectStatus(await logout({ Authorization: `Bearer ${secretOf(token)}` }), 401);
    const { id } = await importAccount(app.database, '7000');
    const imported = await importToken(app.database, { id: '7001', accountId: id });
    expectStatus(await logout({ Authorization: `Bearer ${secretOf(imported)}` }), 200);
  },
  'Forms of other sites': async () => {
    const from = (Origin: string) => post('login', 'email=a', { 'Content-Type': FORM, Origin });
    expectStatus(await from('https://other.example.org'), 403);
    expectStatus(await from(ORIGIN), 422);
  },
};

/** The texts of an error of one field. */
const refusalOf = async (fields: Fields, field: string) => errorsOf(await registerPatient(fields))[field];

/** The answer to a doctor whose license is this document. */
const licensed = async (licenseFile: TestDocument) => (await registerDoctor({ licenseFile })).http.status;

const FIELDS: Record<string, () => Promise<unknown>> = {
  'Phone and license number': async () => {
    registeredDoctor(await registerDoctor());
    registeredDoctor(await registerDoctor());
  },
  'Phone of a patient': async () => {
    const registered = await registerPatient();
    expect(jsonOf(registered)).toMatchObject({ data: { phone: null, dob: null } });
  },
  'Institution, work history, publications and address of a doctor': async () => {
    const { profile } = registeredDoctor(await registerDoctor());
    const nothing = {
      currentInstitution: null,
      workHistory: null,
      publications: null,
      practiceAddress: null,
    };
    expect(profile).toMatchObject(nothing);
  },
  '`certification_file`': async () => {
    const { http } = await registerDoctor({ certificationFile: undefined });
    expectErrors(http, { certification_file: 'The certification file field is required.' });
  },
  '`password_confirmation`': async () => {
    expectStatus(await registerPatient(), 201);
    const patient = aPatient();
    const confirmed = (text: string) => registerPatient({ ...patient, password_confirmation: text });
    const mismatch = { password: 'The password field confirmation does not match.' };
    for (const text of ['other horse', `${patient.password} `, '']) {
      expectErrors(await confirmed(text), mismatch);
    }
    expectStatus(await confirmed(patient.password), 201);
  },
  'New passwords': async () => {
    const refused = (password: string, name = 'Pat') => refusalOf({ password, name }, 'password');
    expect(await refused('Sv7xQ2k')).toEqual(['The password field must be at least 8 characters.']);
    expect(await refused(`${'Sv7xQ2kx'.repeat(9)}x`)).toEqual([
      'The password field must not be greater than 72 bytes.',
    ]);
    expect(await refused('iloveyou')).toEqual(['The password field must not be a common password.']);
    expect(await refused('Ada Lovelace', 'Ada Lovelace')).toEqual([
      'The password field must not contain your name or email address.',
    ]);
    const { email, password } = await importAccount(app.database, freshEmail(), { password: 'abc' });
    expectStatus(await login({ email, password }), 200);
  },
  '`dob`': async () => {
    const registered = await registerPatient({ dob: '1990-05-17' });
    expect(jsonOf(registered)).toMatchObject({ data: { dob: '1990-05-17' } });
    for (const dob of ['1899-12-31', '17 May 1990', '2999-01-01']) {
      expect({ dob, errors: await refusalOf({ dob }, 'dob') }).toEqual({ dob, errors: [expect.any(String)] });
    }
  },
  Lengths: async () => {
    const long = 'x'.repeat(5000);
    const texts = ['practiceAddress', 'workHistory', 'publications'];
    registeredDoctor(await registerDoctor(Object.fromEntries(texts.map((name) => [name, long]))));
    const { http } = await registerDoctor(Object.fromEntries(texts.map((name) => [name, `${long}x`])));
    expect(Object.keys(errorsOf(http))).toEqual(['work_history', 'publications', 'practice_address']);
  },
  'Control characters, and line breaks in texts of one line': async () => {
    for (const name of ['Pat\nIent', 'Pat\u0007', 'Pat\u0000Ient']) {
      expect(await refusalOf({ name }, 'name')).toEqual(['The name field format is invalid.']);
    }
  },
  'NUL in a new password': async () =>
    expect(await refusalOf({ password: 'correct\u0000horse' }, 'password')).toEqual([
      'The password field format is invalid.',
    ]),
  'E-mails with blanks at their end': async () => {
    const email = freshEmail();
    const { id, password } = await importAccount(app.database, '7010');
    await app.database.accounts.updateOne({ _id: id }, { $set: { email: `${email}  `, emailKey: email } });
    const loggedIn = await login({ email, password });
    expect(jsonOf(loggedIn)).toMatchObject({ data: { email: `${email}  ` } });
  },
  'E-mails that differ in accents (`é`, `e`)': async () => {
    expectStatus(await registerPatient({ email: `é.${freshEmail()}` }), 201);
    const email = freshEmail();
    expectStatus(await registerPatient({ email: `e.${email}` }), 201);
    expectStatus(await registerPatient({ email: `é.${email}` }), 201);
  },
  'International domains (`müller.example`)': async () => {
    expectStatus(await registerPatient({ email: 'pat@müller.example' }), 201);
    expectErrors(await registerPatient({ email: 'pat@xn--mller-kva.example' }), {
      email: 'The email has already been taken.',
    });
  },
  'New e-mails of mixed scripts': async () =>
    // A Cyrillic letter.
    expect(await refusalOf({ email: 'p\u0430t@example.org' }, 'email')).toEqual([
      'The email field must be a valid email address.',
    ]),
  'E-mails with invisible characters, comments, or an address in place of the domain': async () => {
    const invalid = ['The email field must be a valid email address.'];
    for (const email of ['p\u200bat@example.org', 'pat(me)@example.org', 'pat@[192.0.2.1]']) {
      expect(await refusalOf({ email }, 'email')).toEqual(invalid);
      expect(errorsOf(await login({ email, password: 'x' }))).toEqual({ email: invalid });
    }
  },
  'Types of documents': async () => {
    const allowed = { pdf: CONTENT.pdf, jpg: CONTENT.jpeg, jpeg: CONTENT.jpeg, png: CONTENT.png };
    const others = { webp: CONTENT.webp, heic: CONTENT.heic, tif: CONTENT.tiff, tiff: CONTENT.tiff };
    const all = { ...allowed, ...others, doc: CONTENT.doc, DOCX: CONTENT.docx };
    for (const [type, bytes] of Object.entries(all)) {
      expect({ type, status: await licensed({ name: `a.${type}`, bytes }) }).toEqual({ type, status: 201 });
    }
    expect(await licensed({ name: 'scan', bytes: CONTENT.pdf })).toBe(201);
    const refused = { 'a.gif': CONTENT.gif, 'a.php': CONTENT.pdf, 'a.pdf': CONTENT.html };
    for (const [name, bytes] of Object.entries(refused)) {
      expect({ name, status: await licensed({ name, bytes }) }).toEqual({ name, status: 422 });
    }
  },
  'Sizes of documents': async () => {
    const ofSize = (size: number) => ({ name: 'a.pdf', bytes: Buffer.concat([CONTENT.pdf], size) });
    expect(await licensed(ofSize(10 * 1024 * 1024))).toBe(201);
    expect(await licensed(ofSize(10 * 1024 * 1024 + 1))).toBe(422);
    expect(await licensed(ofSize(0))).toBe(422);
  },
};

const preflight = (Origin: string) =>
  sendRaw(app.url, {
    method: 'OPTIONS',
    path: '/api/v1/auth/login',
    headers: { Origin, 'Access-Control-Request-Method': 'POST' },
  });

/** The answer to a request for a document of a new doctor. */
async function aDocument(licenseFile = aPdf()): Promise<{ path: string; headers: Headers }> {
  const { profile } = registeredDoctor(await registerDoctor({ licenseFile }));
  const { pathname: path } = new URL(profile.licenseFileUrl);
  return { path, headers: (await send(app.url + path)).headers };
}

const ANSWERS: Record<string, () => Promise<unknown>> = {
  'Errors without `Accept: application/json`': async () => {
    for (const headers of [{}, { Accept: 'text/html' }, { Accept: 'application/json' }]) {
      expectErrors(await post('login', '{}', headers), REQUIRED);
      expect(messageOf(await logout(headers))).toBe('Unauthenticated.');
    }
  },
  'Failed logins, and registrations': async () => {
    const credentials = { email: freshEmail(), password: freshPassword() };
    const failed = () => sendJson(`${limited.url}/api/v1/auth/login`, credentials);
    expectStatus(await failed(), 401);
    expectStatus(await failed(), 429);
    const register = () => sendJson(`${limited.url}/api/v1/auth/register/patient`, aPatient());
    expectStatus(await register(), 201);
    expectStatus(await register(), 429);
  },
  '`X-RateLimit-*`': async () => {
    const credentials = { email: freshEmail(), password: freshPassword() };
    const failed = () => sendJson(`${limited.url}/api/v1/auth/login`, credentials);
    expect((await failed()).headers.has('x-ratelimit-limit')).toBe(false);
    expect((await failed()).headers.get('x-ratelimit-limit')).toBe('1');
  },
  'Overload, and a database that does not answer': async () => {
    const commands = proxied.proxy.hold(isOfRequest);
    const answer = sendJson(`${proxied.app.url}/api/v1/auth/login`, aPatient());
    await commands.arrived(1);
    await testClock.advance(2_000);
    commands.release();
    expectStatus(await answer, 503);
    expect((await answer).headers.get('retry-after')).toBe('2');
  },
  '`WWW-Authenticate`': async () => {
    expect((await logout({})).headers.get('www-authenticate')).toBe('Bearer');
    const failed = await login({ email: freshEmail(), password: freshPassword() });
    expect([failed.status, failed.headers.has('www-authenticate')]).toEqual([401, false]);
  },
  Ids: async () => {
    const idAt = async (url: string) => {
      const registered = await sendJson(`${url}/api/v1/auth/register/patient`, aPatient());
      return jsonOf<{ data: { id: unknown } }>(registered).data.id;
    };
    expect([typeof (await idAt(app.url)), typeof (await idAt(numbered.url))]).toEqual(['string', 'number']);
  },
  'Administrators, and accounts of other roles': async () => {
    const loginAs = async (role: string) => {
      const { id, email, password } = await importAccount(app.database, freshEmail());
      await app.database.accounts.updateOne({ _id: id }, { $set: { role } } as object);
      return login({ email, password });
    };
    expectStatus(await loginAs('admin'), 401);
    expectStatus(await loginAs('nurse'), 401);
    expect(jsonOf(await loginAs('reviewer'))).toMatchObject({ data: { role: 'reviewer' } });
  },
  'Hash of the password': async () => {
    const { email, password } = await somebody();
    for (const { text } of [await login({ email, password }), await registerPatient()]) {
      expect(text).not.toMatch(/\$2[aby]\$|"password"/);
    }
  },
  JSON: async () => {
    const registered = await registerPatient({ name: 'Zoë / Pat' });
    expect(registered.text).toContain('"name":"Zoë / Pat"');
    expect(registered.headers.get('content-type')).toBe('application/json; charset=utf-8');
  },
  '`Cache-Control`': async () =>
    expect((await registerPatient()).headers.get('cache-control')).toBe('no-store'),
  'Other headers': async () => {
    const { headers } = await registerPatient();
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
  },
  '`OPTIONS`, pages of other sites (CORS)': async () => {
    const [known, other] = [await preflight(ORIGIN), await preflight('https://other.example.org')];
    const corsOf = ({ headers }: HttpResponse) => headers.get('access-control-allow-origin');
    expect([known.status, corsOf(known)]).toEqual([204, ORIGIN]);
    expect([other.status, corsOf(other), other.headers.get('allow')]).toEqual([200, null, 'POST']);
    const plain = await sendRaw(app.url, { method: 'OPTIONS', path: '/api/v1/auth/login' });
    expect([plain.status, plain.text, plain.headers.get('allow')]).toEqual([200, '', 'POST']);
  },
  'New documents': async () => {
    expect((await aDocument()).path).toMatch(/^\/storage\/licenses\/[0-9A-Za-z]{40}\.pdf$/);
  },
  'Headers of documents': async () => {
    const { headers } = await aDocument();
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-disposition': expect.stringContaining('inline'),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const word = await aDocument({ name: 'a.doc', bytes: CONTENT.doc });
    expect(word.headers.get('content-disposition')).toContain('attachment');
  },
  'Documents that do not exist': async () => {
    const missing = await send(`${app.url}/storage/doctor_profiles/licenses/${'x'.repeat(40)}.pdf`);
    expect([missing.status, messageOf(missing)]).toEqual([404, expect.any(String)]);
  },
};

const ROWS = { Requests: REQUESTS, Fields: FIELDS, Answers: ANSWERS };

test.each(Object.entries(ROWS))(
  'the table "%s" of the document has these rows, and no others',
  (heading, rows) => {
    const page = readFileSync('docs/migration/differences.md', 'utf8');
    const table = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const names = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, name]) => name).slice(2);
    expect(names).toEqual(Object.keys(rows));
  },
);

describe.each(Object.entries(ROWS))('%s', (_heading, rows) => {
  test.each(Object.entries(rows))('%s', async (_what, check) => {
    expect.hasAssertions();
    await check();
  });
});
