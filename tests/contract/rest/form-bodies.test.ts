import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { REQUEST_DEADLINES } from '../../../src/api/http/request-limits.ts';
import { aPdf } from '../../support/documents.ts';
import { authenticated, expectInvalid, refused } from '../../support/expectations.ts';
import { type HttpResponse, jsonOf } from '../../support/http.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aDoctor, aPatient, freshEmail } from '../../support/people.ts';
import { answerTo, openRequest, sendRaw } from '../../support/raw-http.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { outcomeOf, restApi } from '../../support/rest-api.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

// Laravel reads JSON and both kinds of forms. Legacy callers use all three.
const clock = new ManualClock();
const app = useTestApp({}, undefined, { deadlines: REQUEST_DEADLINES }, clock);

const BOUNDARY = 'boundary-of-the-tests';
const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
const NOT_A_FORM = 'The request body is not a valid form.';
const NOT_MULTIPART = 'The request body is not valid multipart form data.';

/** One part of a multipart body, as it goes over the wire. */
const part = (disposition: string, content: string | Buffer, headers = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const END = Buffer.from(`--${BOUNDARY}--\r\n`);
const text = (name: string, value: string | Buffer, headers?: string) =>
  part(`name="${name}"`, value, headers);

type Fields = Record<string, string>;

/** The two kinds of forms. `encode` keeps the order of the fields. */
const KINDS: { kind: string; type: string; encode: (...fields: [string, string][]) => Buffer }[] = [
  {
    kind: 'url-encoded',
    type: URLENCODED,
    encode: (...fields) => Buffer.from(new URLSearchParams(fields).toString()),
  },
  {
    kind: 'multipart',
    type: MULTIPART,
    encode: (...fields) => Buffer.concat([...fields.map(([name, value]) => text(name, value)), END]),
  },
];

const post = (
  path: string,
  type: string,
  body: Buffer | string,
  headers: object = {},
): Promise<HttpResponse> =>
  sendRaw(
    app.url,
    { method: 'POST', path: `/api/v1/auth/${path}`, headers: { 'Content-Type': type, ...headers } },
    body,
  );

/** Registers a patient by JSON. */
async function aRegisteredPatient() {
  const patient = aPatient();
  const { account } = authenticated(await restApi(app.url).registerPatient(patient));
  return { ...patient, account };
}

/** Checks that a request stores nothing. */
async function storesNothing<T>(act: () => Promise<T>): Promise<T> {
  const before = await inventoryOf(app);
  const result = await act();
  expect(await inventoryOf(app)).toEqual(before);
  return result;
}

describe.each(KINDS)('a $kind form', ({ type, encode }) => {
  const submit = (path: string, fields: Fields) => post(path, type, encode(...Object.entries(fields)));

  test('a patient registers and logs in with a form', async () => {
    const { name, email, password } = aPatient({ name: 'Zoë + Søn & Co. 100 %' });
    const fields = {
      name,
      email,
      password,
      password_confirmation: password,
      phone: '+49 30/1',
      dob: '1990-05-17',
    };
    const registered = await submit('register/patient', fields);
    expect(registered.status).toBe(201);
    const { account } = authenticated(outcomeOf(registered));
    expect(account).toEqual({
      id: account.id,
      name,
      email,
      phone: '+49 30/1',
      dateOfBirth: '1990-05-17',
      role: 'patient',
    });
    const loggedIn = await submit('login', { email, password });
    expect(loggedIn.status).toBe(200);
    expect(authenticated(outcomeOf(loggedIn)).account).toEqual(account);
  });

  test('blanks in the password of a form count', async () => {
    const { email, password } = await aRegisteredPatient();
    refused(outcomeOf(await submit('login', { email, password: `${password} ` })), 'credentials');
  });

  test('the last of several fields with one name counts', async () => {
    const { email, password } = await aRegisteredPatient();
    const login = (first: string, last: string) =>
      post('login', type, encode(['email', first], ['password', password], ['email', last]));
    expect((await login(freshEmail(), email)).status).toBe(200);
    expect((await login(email, freshEmail())).status).toBe(401);
  });

  test.each(['email[$gt]', 'email.$gt', '__proto__[email]', 'constructor[prototype][email]'])(
    'a field named %s is no e-mail',
    async (name) => {
      const { email, password } = await aRegisteredPatient();
      expectInvalid(outcomeOf(await submit('login', { [name]: email, password })), {
        email: ['The email field is required.'],
      });
    },
  );

  test('unknown fields beside the others have no effect', async () => {
    const { name, email, password } = aPatient();
    const own = ['id', 'role', 'emailKey', 'passwordHash', 'isAdmin', 'abilities'];
    const unknown = [...own, '__proto__', 'constructor', 'toString', ''].map((field): [string, string] => [
      field,
      'doctor',
    ]);
    const body = encode(['name', name], ['email', email], ['password', password], ...unknown);
    const { account } = authenticated(outcomeOf(await post('register/patient', type, body)));
    expect(account).toMatchObject({ name, role: 'patient' });
    const stored = await app.database.accounts.findOne({ _id: account.id });
    expect(JSON.stringify(stored)).not.toContain('doctor');
    expect(Object.hasOwn(Object.prototype, 'doctor')).toBe(false);
  });

  test('the rules of JSON hold for a form', async () => {
    const { email, password } = aPatient();
    await storesNothing(async () =>
      expectInvalid(
        outcomeOf(await submit('register/patient', { name: ' ', email, password, dob: 'soon' })),
        {
          name: ['The name field is required.'],
          dateOfBirth: ['The dob field must be a valid date.'],
        },
      ),
    );
  });

  test.each(['us-ascii', 'ISO-8859-1'])('a form in %s is read if every byte is ASCII', async (charset) => {
    const { email, password } = await aRegisteredPatient();
    for (const [name, status] of [
      ['a', 200],
      ['\u00fc', 415],
    ] as const) {
      const fields: [string, string][] = [
        ['email', email],
        ['password', password],
        ['other', name],
      ];
      expect((await post('login', `${type}; charset=${charset}`, encode(...fields))).status).toBe(status);
      expect((await post('login', type, encode(...fields, ['_charset_', charset]))).status).toBe(status);
    }
  });

  test.each(['utf-16', 'iso-8859-2', 'utf-7'])('a form in %s is refused with 415', async (charset) => {
    const { email, password } = await aRegisteredPatient();
    const body = encode(['email', email], ['password', password]);
    const answer = await post('login', `${type}; charset=${charset}`, body);
    expect([answer.status, jsonOf(answer)]).toEqual([415, { message: 'Unsupported Media Type' }]);
    const named = encode(['email', email], ['password', password], ['_charset_', charset]);
    expect((await post('login', type, named)).status).toBe(415);
  });

  test('a form may name UTF-8', async () => {
    const { email, password } = await aRegisteredPatient();
    const body = encode(['_charset_', 'UTF-8'], ['email', email], ['password', password]);
    for (const parameter of ['', ' charset=utf-8']) {
      expect((await post('login', `${type};${parameter}`, body)).status).toBe(200);
    }
  });

  test('a compressed form is refused with 415', async () => {
    const body = gzipSync(encode(['email', freshEmail()], ['password', 'x']));
    for (const coding of ['gzip', 'identity, GZIP', 'x-gzip', 'deflate', 'compress', 'br', ' zstd ,x']) {
      const answer = await post('login', type, body, { 'Content-Encoding': coding });
      expect([answer.status, jsonOf(answer)]).toEqual([
        415,
        { message: 'The request body must not be compressed.' },
      ]);
    }
  });

  test.each(['identity', 'utf-8', '', 'x-rot13', 'gzipped'])('the coding %j is none', async (coding) => {
    const body = encode(['email', freshEmail()]);
    expect((await post('login', type, body, { 'Content-Encoding': coding })).status).toBe(422);
  });

  test('a form has at most 32 fields', async () => {
    const { email, password } = await aRegisteredPatient();
    const formOf = (others: number) =>
      encode(
        ['email', email],
        ['password', password],
        ...Array.from({ length: others }, (_, i): [string, string] => [`field-${i}`, 'x']),
      );
    expect((await post('login', type, formOf(30))).status).toBe(200);
    for (const others of [31, 1_000]) {
      const answer = await post('login', type, formOf(others));
      expect([answer.status, jsonOf(answer)]).toEqual([413, { message: 'The POST data is too large.' }]);
    }
  });

  test.each([
    ['with its length', {}],
    ['in chunks', { 'Transfer-Encoding': 'chunked' }],
  ])('a form has at most 100 KiB (%s)', async (_case, headers) => {
    const { email, password } = await aRegisteredPatient();
    const formOf = (filler: number) =>
      encode(['email', email], ['password', password], ['filler', 'x'.repeat(filler)]);
    const largest = 102_400 - formOf(0).length;
    expect((await post('login', type, formOf(largest), headers)).status).toBe(200);
    expect((await post('login', type, formOf(largest + 1), headers)).status).toBe(413);
  });

  test('a form that does not come to its end is refused with 408 after 15 seconds', async () => {
    const headers = { 'Content-Type': type, 'Content-Length': 1_000, Expect: '100-continue' };
    const req = openRequest(app.url, { method: 'POST', path: '/api/v1/auth/login', headers });
    const answered = answerTo(req);
    req.flushHeaders();
    await once(req, 'continue');
    req.write('email=');
    await clock.advance(REQUEST_DEADLINES.jsonBodyMillis);
    const answer = await answered;
    expect([answer.status, jsonOf(answer)]).toEqual([408, { message: 'Request Timeout' }]);
    expect(answer.headers.get('connection')).toBe('close');
    req.destroy();
  });
});

describe('a url-encoded form that is broken', () => {
  const withPassword = (password: string) =>
    post('login', URLENCODED, `email=${encodeURIComponent(freshEmail())}&password=${password}`);

  test.each(['%', '%zz', '%u0041', '%ff', '%C0%80', '%ED%A0%80', 'a%00%ffb'])(
    'the gateway answers 400 to the password %s',
    async (password) => {
      const answer = await withPassword(password);
      expect([answer.status, jsonOf(answer)]).toEqual([400, { message: NOT_A_FORM }]);
    },
  );

  test.each(['', '&', '&&&&', '=', '=&=', '%00', '%00=x&x=%00', 'email', 'email&password'])(
    'the gateway finds no credentials in the form %j',
    async (body) => {
      expect((await post('login', URLENCODED, body)).status).toBe(422);
    },
  );

  test('a plus sign is a blank, and an escaped plus sign is one', async () => {
    const password = 'one two+three';
    rememberPassword(password);
    const patient = aPatient({ password });
    authenticated(await restApi(app.url).registerPatient(patient));
    const login = (spelled: string) =>
      post('login', URLENCODED, `email=${encodeURIComponent(patient.email)}&password=${spelled}`);
    expect((await login('one+two%2Bthree')).status).toBe(200);
    expect((await login('one%20two%2bthree')).status).toBe(200);
    expect((await login('one+two+three')).status).toBe(401);
  });
});

describe('a multipart form', () => {
  const login = (...parts: Buffer[]) => post('login', MULTIPART, Buffer.concat([...parts, END]));

  test('files in a form are ignored, and none is stored', async () => {
    const { name, email, password } = aPatient();
    const file = part('name="photo"; filename="me.pdf"', aPdf().bytes, 'Content-Type: application/pdf\r\n');
    const body = Buffer.concat([
      file,
      text('name', name),
      text('email', email),
      text('password', password),
      part('name="name"; filename="name.txt"', 'another name'),
      END,
    ]);
    const { documents } = await inventoryOf(app);
    const { account } = authenticated(outcomeOf(await post('register/patient', MULTIPART, body)));
    expect(account.name).toBe(name);
    expect((await inventoryOf(app)).documents).toEqual(documents);
  });

  test('a form has at most 6 files', async () => {
    const { email, password } = await aRegisteredPatient();
    const files = (count: number) =>
      Array.from({ length: count }, (_, i) => part(`name="f${i}"; filename="f.txt"`, 'x'));
    const texts = [text('email', email), text('password', password)];
    expect((await login(...texts, ...files(6))).status).toBe(200);
    expect((await login(...texts, ...files(7))).status).toBe(413);
  });

  test.each<[string, Buffer]>([
    ['another charset', text('password', 'a secret', 'Content-Type: text/plain; charset=utf-16le\r\n')],
    ['an unknown charset', text('password', 'a secret', 'Content-Type: text/plain; charset=utf-999\r\n')],
    [
      'a charset that hides in its name',
      part('name="x; filename=y"', 'z', 'Content-Type: text/plain; charset=utf-7\r\n'),
    ],
  ])('a part in %s is refused with 415', async (_case, password) => {
    expect((await login(text('email', freshEmail()), password)).status).toBe(415);
  });

  test.each(['', 'Content-Type: text/plain; charset=utf-8\r\n'])(
    'a part that is not UTF-8 is refused with 400 (%j)',
    async (headers) => {
      for (const bytes of ['ff', 'c3', 'c080', 'eda080', 'f4908080']) {
        const answer = await login(
          text('email', freshEmail()),
          text('password', Buffer.from(bytes, 'hex'), headers),
        );
        expect([answer.status, jsonOf(answer)]).toEqual([400, { message: NOT_MULTIPART }]);
      }
    },
  );

  test.each<[string, string, Buffer | string]>([
    ['no boundary', 'multipart/form-data', 'x'],
    ['an empty boundary', 'multipart/form-data; boundary=', 'x'],
    ['another boundary', 'multipart/form-data; boundary=another', Buffer.concat([text('email', 'x'), END])],
    ['no end', MULTIPART, text('email', 'x')],
    ['half a header', MULTIPART, `--${BOUNDARY}\r\nContent-Disposition`],
    ['a file without an end', MULTIPART, part('name="f"; filename="f"', 'x')],
    ['nothing of a form', MULTIPART, '{"email":"a@b.c"}'],
  ])('a form with %s is refused with 400', async (_case, type, body) => {
    for (const path of ['login', 'register/doctor']) {
      const answer = await post(path, type, body);
      expect([answer.status, jsonOf(answer)]).toEqual([400, { message: NOT_MULTIPART }]);
    }
  });
});

describe('a body of another type', () => {
  const TYPES = [
    'text/plain',
    'text/jsonx',
    'x',
    'application/xml',
    'application/graphql',
    'application/jsonp',
    'application/vnd.api+jsonx',
    'application/json\\',
    'text/plain; x=/json',
    'application/json, text/plain',
    'multipart/mixed; boundary=x',
    '',
  ];

  test.each(TYPES)(
    'a login and a registration as %j are refused with 415, which names the types',
    async (type) => {
      const { name, email, password } = aPatient();
      await storesNothing(async () => {
        for (const path of ['login', 'register/patient']) {
          const answer = await post(path, type, JSON.stringify({ name, email, password }));
          expect([answer.status, jsonOf(answer)]).toEqual([
            415,
            {
              message:
                'The request body must be application/json, application/x-www-form-urlencoded, or multipart/form-data.',
            },
          ]);
        }
      });
    },
  );

  test.each([...TYPES, URLENCODED])(
    'a doctor as %j is refused with 415, which names the type',
    async (type) => {
      const answer = await post('register/doctor', type, 'name=x');
      expect([answer.status, jsonOf(answer)]).toEqual([
        415,
        { message: 'The request body must be multipart/form-data.' },
      ]);
    },
  );

  test('a body without Content-Type is refused before it is sent', async () => {
    const req = openRequest(app.url, {
      method: 'POST',
      path: '/api/v1/auth/login',
      headers: { 'Content-Length': 1_000, Expect: '100-continue' },
    });
    req.flushHeaders();
    expect((await answerTo(req)).status).toBe(415);
  });

  test.each(['login', 'register/patient', 'register/doctor'])(
    '%s without a body lacks the required fields',
    async (path) => {
      for (const headers of [
        {},
        { 'Content-Length': 0 },
        { 'Content-Length': 0, 'Content-Type': 'text/plain' },
      ]) {
        const answer = await sendRaw(app.url, { method: 'POST', path: `/api/v1/auth/${path}`, headers });
        expect([answer.status, jsonOf(answer)]).toMatchObject([
          422,
          { errors: { email: ['The email field is required.'] } },
        ]);
      }
    },
  );
});

test.each([
  'text/json',
  'application/vnd.api+json',
  'application/json;',
  'application/json; charset=us-ascii',
  'application/json; x="a,b"',
  'application/json, application/json;charset=UTF-8',
])('a body as %s is read as JSON', async (type) => {
  const { email, password } = await aRegisteredPatient();
  expect((await post('login', type, JSON.stringify({ email, password }))).status).toBe(200);
});

test.each(['null', '[]', '"text"', '42'])('the JSON %s lacks the required fields', async (json) => {
  for (const path of ['login', 'register/patient', 'register/doctor']) {
    const answer = await post(path, 'application/json', json);
    expect([answer.status, jsonOf(answer)]).toMatchObject([
      422,
      { errors: { email: ['The email field is required.'] } },
    ]);
  }
});

test('a doctor as JSON lacks the documents alone', async () => {
  const { licenseFile, diplomaFile, certificationFile, licenseNumber, ...texts } = aDoctor();
  const body = JSON.stringify({ ...texts, license_number: licenseNumber });
  expectInvalid(outcomeOf(await post('register/doctor', 'application/json', body)), {
    licenseFile: ['The license file field is required.'],
    diplomaFile: ['The diploma file field is required.'],
    certificationFile: ['The certification file field is required.'],
  });
});

test('a number as the password of a login is compared as its text', async () => {
  const patient = aPatient({ password: '70261953' });
  authenticated(await restApi(app.url).registerPatient(patient));
  const login = (password: unknown) => restApi(app.url).login({ email: patient.email, password });
  authenticated(await login(70261953));
  for (const other of [7026195, 70261953.5, 0, -1]) {
    refused(await login(other), 'credentials');
  }
});
