import { array, assert, asyncProperty, constantFrom, oneof, record, string } from 'fast-check';
import {
  LoginDocument,
  RegisterDoctorDocument,
  RegisterPatientDocument,
} from '../../packages/client/src/generated/graphql.ts';
import { restName } from '../../src/api/rest/presenters.ts';
import { OPTIONAL_TEXTS, REQUIRED_TEXTS } from '../../src/stores/doctor-profile-record.ts';
import { expectDocumentedShape } from '../hostile/support/harmless.ts';
import { PREFLIGHT } from '../support/graphql-api.ts';
import { type HttpResponse, send, sendJson } from '../support/http.ts';
import { sendForm } from '../support/multipart.ts';
import { aPatient } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';
import { processorMillis } from './support/processor-time.ts';

/*
 * The cost of a request must grow only linearly with its size. If it grows with the square of a text, one request stops all
 * others for seconds. The tests measure processor time and compare it with that of a harmless request of the same size
 * through the same way in the same run. So the machine and its load do not matter.
 */
const app = useTestApp({ GRAPHQL_INTROSPECTION: 'on', TRUST_PROXY: 'loopback' }, undefined, ...REAL_TIME);

/** The largest JSON body and the largest text field of a form (http/bodies/buffered-body.ts). */
const LARGEST_BYTES = 102_400;
/** Node reads 16 KiB of headers, including names and the headers of every request. */
const LARGEST_HEADER_BYTES = 14_000;

/** A harmless text costs a few milliseconds. Quadratic work costs a hundred times that in a header, and more in a body. */
const MOST_TIMES = 12;
/** Each cost is that of several requests: one garbage collection costs as much as ten of them. */
const REQUESTS = 4;
/** Shorter times are mostly garbage collection and compilation. */
const LEAST_MILLIS = 25 * REQUESTS;

const RUNS = {
  numRuns: 10,
  endOnFailure: true,
  // Texts that were slow before: combining marks, and blanks at the end of a media type.
  examples: [
    [{ prefix: 'a', units: ['\u0315', '\u0300'], suffix: '' }],
    [{ prefix: '', units: [' '], suffix: 'x' }],
  ] satisfies [HostileText][],
};

interface HostileText {
  prefix: string;
  units: string[];
  suffix: string;
}

/** Fills a text up to a size: one run of each unit after the other, each as long as fits. */
function fill(sizeBytes: number, { prefix, units, suffix }: HostileText): string {
  const roomBytes = sizeBytes - Buffer.byteLength(prefix + suffix);
  const runs = units.map((unit) => unit.repeat(roomBytes / units.length / Buffer.byteLength(unit)));
  return prefix + runs.join('') + suffix;
}

const HARMLESS: HostileText = { prefix: '', units: ['x'], suffix: '' };

/** Texts that are slow for some regular expressions, Unicode functions and parsers. */
const NASTY = [
  ...'\u0315\u0300\u0323\u0345\u1100\u1161\ufe0f\u200b\u200d\u0130ß😀 \t\n\u2028.@-_"\\\'\0\u001b%;,[{(例。/:10&=',
  ...['\r\n', '\\"', '%2e', '$value', '""', '","', ';a=b', '{"a":', 'xn--', '//', '../', '::', '9e', 'a=b&'],
  ...['a.', '.a', 'a@', '-a', 'a ', ' a', 'a,', 'at "x"; ', 'Field "', 'Variable "$a" ', 'Expected '],
];
const anyUnit = oneof(
  { weight: 4, arbitrary: constantFrom(...NASTY) },
  string({ unit: 'grapheme', minLength: 1, maxLength: 3 }).filter((text) => text.isWellFormed()),
);
const anyText = record({
  prefix: constantFrom('', 'a', '"', 'a@', 'a@b.c', '{', ' '),
  units: array(anyUnit, { minLength: 1, maxLength: 2 }),
  suffix: constantFrom('', 'a', '"', '@b.c', '}', ' ', '!'),
});

/** A way for a text into the service. */
interface Way {
  sizeBytes: number;
  send(text: string): Promise<HttpResponse>;
}

const graphql = (query: string, variables: object) => sendJson(`${app.url}/graphql`, { query, variables });
const rest = (path: string, body: object) => sendJson(`${app.url}/api/v1/auth/${path}`, body);

/** Escapes make a JSON text longer, so the size limit applies to the whole body. */
function jsonWay(send: (text: string) => Promise<HttpResponse>, texts = 1): Way {
  const room = (LARGEST_BYTES - 1_500) / texts;
  const cut = (text: string): string => {
    const bytes = Buffer.byteLength(JSON.stringify(text));
    return bytes <= room
      ? text
      : cut(text.slice(0, Math.floor((text.length * room) / bytes) - 1).toWellFormed());
  };
  return { sizeBytes: room, send: (text) => send(cut(text)) };
}

const formOf = (fields: Record<string, string>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value);
  }
  return form;
};
const DOCTOR_TEXTS = [
  ...['name', 'email', 'phone', 'password', 'password_confirmation'],
  ...[...REQUIRED_TEXTS, ...OPTIONAL_TEXTS].map(restName),
];

/** A login whose whole body is a text. */
const formLogin = (type: string, body: string) =>
  send(`${app.url}/api/v1/auth/login`, { method: 'POST', headers: { 'Content-Type': type }, body });

const PATIENT = { name: 'Pat', email: 'pat@example.org', password: 'x' };
const WAYS: Record<string, Way> = {
  'the password of a login': jsonWay((password) => rest('login', { email: PATIENT.email, password })),
  'the e-mail of a login': jsonWay((email) => rest('login', { email, password: 'x' })),
  'the password of a registration': jsonWay((password) => rest('register/patient', { ...PATIENT, password })),
  'the name of a patient': jsonWay((name) => rest('register/patient', { ...PATIENT, name })),
  'the name beside a new password': jsonWay((name) =>
    rest('register/patient', { ...PATIENT, name, password: 'correct horse battery' }),
  ),
  'the date of birth of a patient': jsonWay((dob) => rest('register/patient', { ...PATIENT, dob })),
  'the date of birth by GraphQL': jsonWay((dateOfBirth) =>
    graphql(String(RegisterPatientDocument), { input: { ...PATIENT, dateOfBirth } }),
  ),
  'a url-encoded form': jsonWay((text) => formLogin('application/x-www-form-urlencoded', text)),
  'a multipart form': jsonWay((text) => formLogin('multipart/form-data; boundary=a', text)),
  'a text of a multipart login': jsonWay((password) =>
    sendForm(app.url, {
      path: '/api/v1/auth/login',
      headers: {},
      form: formOf({ email: PATIENT.email, password }),
    }),
  ),
  'a key of JSON': jsonWay((key) => rest('login', { [key]: 1 })),
  'every variable of a registration by GraphQL': jsonWay(
    (text) =>
      graphql(String(RegisterPatientDocument), {
        input: { name: text, email: text, password: text, phone: text },
      }),
    4,
  ),
  'a variable of the wrong type': jsonWay(
    (text) => graphql(String(RegisterDoctorDocument), { input: { name: [text], email: { [text]: 1 } } }),
    2,
  ),
  'an unknown key and missing keys': jsonWay(
    (key) => graphql(String(RegisterDoctorDocument), { input: { [key]: key } }),
    2,
  ),
  'the id of a token': jsonWay((id) => graphql('mutation ($id: ID!) { revokeToken(id: $id) }', { id: [id] })),
  'a document': jsonWay((query) => graphql(query, {})),
  'a literal of a document': jsonWay(
    (text) =>
      graphql(
        `mutation { login(input: { email: "a@b.c", password: ${JSON.stringify(text)} }) { token } }`,
        {},
      ),
    2,
  ),
  'every text of a doctor’s form': {
    sizeBytes: LARGEST_BYTES / 2,
    send: (text) => {
      const form = formOf(Object.fromEntries(DOCTOR_TEXTS.map((name) => [name, text])));
      return sendForm(app.url, { path: '/api/v1/auth/register/doctor', headers: {}, form });
    },
  },
  'the operation of a form': jsonWay((password) => {
    const variables = { input: { email: PATIENT.email, password } };
    const form = formOf({
      operations: JSON.stringify({ query: String(LoginDocument), variables }),
      map: '{}',
    });
    return sendForm(app.url, { path: '/graphql', headers: { ...PREFLIGHT }, form });
  }),
  'the map of a form': jsonWay((path) => {
    const operations = JSON.stringify({ query: '{ __typename }', variables: { a: null } });
    const form = formOf({ operations, map: JSON.stringify({ 0: [`variables.${path}`] }) });
    return sendForm(app.url, { path: '/graphql', headers: { ...PREFLIGHT }, form });
  }),
};

/** The cost of a text: of all its requests together. */
const costMillis = ({ sizeBytes, send }: Way, text: HostileText): Promise<number> =>
  processorMillis(async () => {
    for (let request = 0; request < REQUESTS; request += 1) {
      await expectDocumentedShape(await send(fill(sizeBytes, text)));
    }
  });

/** Headers of a request to /graphql, which has the most parsers. Each has a prefix that its parser expects. */
const HEADERS: [header: string, prefix: string][] = [
  ['Content-Type', 'application/json;'],
  ['Content-Type', 'multipart/form-data; boundary=x;'],
  ['Accept', 'application/json;'],
  ['Accept', ''],
  ['Authorization', 'Bearer '],
  ['Cookie', 'a=b; '],
  ['X-Forwarded-For', '127.0.0.1, '],
  ['Origin', 'http://a'],
  ['If-None-Match', 'W/"'],
  ['Range', 'bytes=0-1,'],
  ['User-Agent', ''],
  ['X-Request-Id', ''],
  ['Content-Encoding', ''],
  ['Access-Control-Request-Headers', 'a,'],
];
for (const [header, prefix] of HEADERS) {
  WAYS[`the header ${header}: ${prefix}`] = {
    sizeBytes: LARGEST_HEADER_BYTES,
    send: (text) => {
      const value = prefix + text.replace(/[^\x20-\x7e]/g, ' ');
      const headers = { ...PREFLIGHT, 'Content-Type': 'application/json', [header]: value };
      return sendRaw(app.url, { method: 'POST', path: '/graphql', headers }, '{"query":"{__typename}"}');
    },
  };
}
// A User-Agent is read where a token is issued.
WAYS['the User-Agent of a registration'] = {
  sizeBytes: LARGEST_HEADER_BYTES,
  send: (text) => {
    const headers = { 'Content-Type': 'application/json', 'User-Agent': text.replace(/[^\x20-\x7e]/g, ' ') };
    return sendRaw(
      app.url,
      { method: 'POST', path: '/api/v1/auth/register/patient', headers },
      JSON.stringify(aPatient()),
    );
  },
};
WAYS['the query string'] = {
  sizeBytes: LARGEST_HEADER_BYTES,
  send: (text) => {
    const search = text.replace(/[^\x21-\x7e]|[#%]/g, '+');
    return sendRaw(app.url, { path: `/graphql?query=${search}`, headers: { ...PREFLIGHT } });
  },
};

test.each(Object.entries(WAYS))('the cost of %s grows only linearly with its size', async (_name, way) => {
  const most = MOST_TIMES * Math.max(LEAST_MILLIS, await costMillis(way, HARMLESS));
  await assert(
    asyncProperty(anyText, async (hostile) => {
      expect(await costMillis(way, hostile)).toBeLessThan(most);
    }),
    RUNS,
  );
});
