import {
  DisableTwoFactorDocument,
  DoctorsForReviewDocument,
} from '../../../packages/client/src/generated/graphql.ts';
import { FORBIDDEN_REASONS, RULES } from '../../../src/system/error-details.ts';
import type { Outcome } from '../../support/apis.ts';
import { aPdf, aPdfOf } from '../../support/documents.ts';
import { emailLinkSettings } from '../../support/email-links.ts';
import { authenticated } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { aDoctor, aPatient, type Fields } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { TWO_FACTOR } from '../../support/second-factor.ts';
import { APPOINTMENTS, basic, SERVICES } from '../../support/services.ts';
import { bearer } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const ACCEPT = { Accept: 'application/problem+json' };
const app = useTestApp({
  ...SERVICES,
  EVENT_CLIENTS: 'appointments=account.*',
  ...TWO_FACTOR,
  MAX_FILE_BYTES: '1048576',
  ...emailLinkSettings('smtp://127.0.0.1:9'),
  DOCUMENT_ACCESS: 'signed',
  DOCUMENT_URL_SECRET: 'a-secret-of-the-urls-of-the-tests',
});

const closed = useTestApp({ PATIENT_REGISTRATION: 'off' });

/** The broken rules of an answer: `field rule limit`. */
type Broken = string[];

interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  reason?: string;
  errors?: { field: string; rule: string; limit?: unknown; detail: string }[];
}
type Extensions = {
  code: string;
  errors?: Record<string, string[]>;
  rules?: Record<string, Omit<Rule, 'field'>[]>;
};
type Rule = { field: string; rule: string; limit?: unknown };

const lineOf = ({ field, rule, limit }: Rule): string =>
  [field, rule, ...(limit === undefined ? [] : [String(limit)])].join(' ');

/** In REST, a field may have another name. */
const NAMES: Readonly<Record<string, string>> = { dateOfBirth: 'dob', newPassword: 'password' };
const restName = (field: string): string =>
  NAMES[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What a problem has, and its texts in their order: those of the usual answer. */
function ofProblem({ http }: Pick<Outcome, 'http'>): { broken: Broken; texts: string[] } {
  expect(http.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const { errors = [], ...problem } = jsonOf<Problem>(http);
  expect(problem).toEqual({
    type: 'about:blank',
    title: 'Unprocessable Entity',
    status: http.status,
    detail: expect.stringContaining(errors[0]?.detail ?? 'no text'),
    code: 'BAD_USER_INPUT',
  });
  return { broken: errors.map(lineOf), texts: errors.map(({ detail }) => detail) };
}

/** The same of an error of GraphQL. */
function ofExtensions({ http }: Pick<Outcome, 'http'>): { broken: Broken; texts: string[] } {
  const { errors = [] } = jsonOf<{ errors?: { extensions: Extensions }[] }>(http);
  const { errors: texts = {}, rules = {} } = errors[0]?.extensions ?? ({} as Extensions);
  expect(Object.keys(rules)).toEqual(Object.keys(texts));
  const broken = Object.entries(rules).flatMap(([field, all]) =>
    all.map((rule) => lineOf({ ...rule, field: restName(field) })),
  );
  return { broken, texts: Object.values(texts).flat() };
}

const patient = (fields: Fields) => (api: ReturnType<typeof restApi>) => api.registerPatient(fields);
const doctor = (fields: Fields) => (api: ReturnType<typeof restApi>) => api.registerDoctor(aDoctor(fields));
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const TYPES = 'pdf,jpg,jpeg,png,webp,heic,tif,tiff,doc,docx';
const known = aPatient();
let authorization: string;
beforeAll(async () => {
  authorization = `Bearer ${authenticated(await restApi(app.url).registerPatient(known)).token}`;
});

type Act = (api: ReturnType<typeof restApi>) => Promise<Outcome>;
const CASES: [what: string, broken: Broken, act: Act][] = [
  ['nothing', ['name required', 'email required', 'password required'], patient({})],
  ['a number as a name', ['name string'], patient(aPatient({ name: 5 as unknown as string }))],
  [
    'too long, too short, too early and in no form',
    [
      'name max_length 255',
      'email email',
      'phone format',
      'password min_length 8',
      'dob too_early 1900-01-01',
    ],
    patient({
      ...{ name: 'x'.repeat(256), email: 'nobody', phone: 'a\u0007b', password: 'seven77' },
      dateOfBirth: '1899-12-31',
    }),
  ],
  ['a day that does not exist', ['dob date'], patient(aPatient({ dateOfBirth: '2001-02-30' }))],
  ['a day to come', ['dob future'], patient(aPatient({ dateOfBirth: inDays(3) }))],
  ['a long password', ['password max_bytes 72'], patient(aPatient({ password: 'ü'.repeat(37) }))],
  ['a common password', ['password common'], patient(aPatient({ password: 'password123' }))],
  [
    'a name as a password',
    ['password personal'],
    patient(aPatient({ name: 'Wilhelmina Winter', password: 'wilhelminawinter' })),
  ],
  ['a taken e-mail', ['email taken'], (api) => api.registerPatient(aPatient({ email: known.email }))],
  ['a text as a document', ['license_file file'], doctor({ licenseFile: 'license.pdf' })],
  ['a large document', ['license_file max_size 1024'], doctor({ licenseFile: aPdfOf(1_100_000) })],
  ['a program', [`license_file file_type ${TYPES}`], doctor({ licenseFile: aPdf('license.php') })],
  [
    'a wrong password',
    ['current_password wrong'],
    (api) => api.changePassword({ currentPassword: 'wrong', newPassword: 'correct horse 5' }, authorization),
  ],
  [
    'the present e-mail',
    ['email same'],
    (api) => api.changeEmail({ email: known.email, password: known.password }, authorization),
  ],
  [
    'an e-mail in a correction',
    ['email prohibited'],
    (api) => api.updateMyProfile({ email: 'other@example.org' }, authorization),
  ],
];
const seen = new Set<string>();
const note = (broken: Broken): void => {
  for (const line of broken) {
    seen.add(line.split(' ')[1] ?? '');
  }
};

test.each(CASES)('%s: both APIs name the rules beside the texts', async (_, broken, act) => {
  const [problem, extensions] = [
    ofProblem(await act(restApi(app.url, ACCEPT))),
    ofExtensions(await act(graphqlApi(app.url) as ReturnType<typeof restApi>)),
  ];
  expect([problem.broken, extensions.broken]).toEqual([broken, broken]);
  expect(problem.texts).toHaveLength(broken.length);
  note(broken);
  // Everybody else gets the answer of the contract.
  const { http } = await act(restApi(app.url));
  const usual = jsonOf<{ message: string; errors: Record<string, string[]> }>(http);
  expect(Object.keys(usual)).toEqual(['message', 'errors']);
  expect(Object.values(usual.errors).flat()).toEqual(problem.texts);
});

test('what only one of the APIs has is named, too', async () => {
  const confirmed = aPatient({ passwordConfirmation: 'another one' });
  const { broken } = ofProblem(await restApi(app.url, ACCEPT).registerPatient(confirmed));
  expect(broken).toEqual(['password confirmed']);
  // Laravel reports an invalid reset token on the e-mail.
  const reset = { token: 'x'.repeat(43), newPassword: 'correct horse 6', email: known.email };
  const expired = ofProblem(await restApi(app.url, ACCEPT).resetPassword(reset));
  expect(expired.broken).toEqual(['email expired']);
  const input = { password: known.password, code: '123456' };
  const { http } = await execute(
    app.url,
    DisableTwoFactorDocument,
    { input },
    { Authorization: authorization },
  );
  const notEnabled = ofExtensions({ http });
  expect(notEnabled.broken).toEqual(['code state']);
  note([...broken, ...expired.broken, ...notEnabled.broken]);
});

test('every rule of the documentation was caused', () => {
  expect([...seen].sort()).toEqual(Object.keys(RULES).sort());
});

test.each([
  ['application/problem+json', true],
  ['application/json, application/problem+json;q=0.5', true],
  ['APPLICATION/PROBLEM+JSON; q=0.1', true],
  ['application/json', false],
  ['*/*', false],
  ['application/*', false],
  ['application/problem+json;q=0, */*', false],
  ['application/problem+json ; q=0.000', false],
  ['', false],
])('a request that accepts %j gets problem details: %s', async (accept, isProblem) => {
  const http = await sendJson(`${app.url}/api/v1/auth/login`, {}, { Accept: accept });
  const type = http.headers.get('content-type');
  expect([http.status, type]).toEqual([
    422,
    `application/${isProblem ? 'problem+json' : 'json'}; charset=utf-8`,
  ]);
});

test('a success, and errors without fields', async () => {
  const login = await sendJson(`${app.url}/api/v1/auth/login`, known, ACCEPT);
  expect([login.status, login.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  const requests = [
    ['/api/v1/auth/logout', 'POST', 401, 'Unauthorized', 'Unauthenticated.', 'UNAUTHENTICATED'],
    ['/api/v1/auth/logout', 'GET', 405, 'Method Not Allowed', expect.any(String), 'METHOD_NOT_ALLOWED'],
    ['/nothing', 'GET', 404, 'Not Found', 'The route nothing could not be found.', 'NOT_FOUND'],
  ] as const;
  for (const [path, method, status, title, detail, code] of requests) {
    const http = await send(app.url + path, { method, headers: ACCEPT });
    expect(jsonOf(http)).toEqual({ type: 'about:blank', title, status, detail, code });
  }
});

describe('a 403 says why', () => {
  const reasons = new Set<string>(['policy']);
  const reasonOf = (problem: Problem): string => {
    expect(problem).toMatchObject({ status: 403, title: 'Forbidden', code: 'FORBIDDEN' });
    reasons.add(problem.reason ?? '');
    return problem.reason ?? '';
  };
  const forwarded = async (query: string, token: string) =>
    reasonOf(
      jsonOf(await send(`${app.url}/forward-auth?${query}`, { headers: { ...ACCEPT, ...bearer(token) } })),
    );

  test('to a proxy that asks', async () => {
    const { token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
    expect(await forwarded('role=doctor', token)).toBe('role');
    expect(await forwarded('email_verified=true', token)).toBe('email');
    const unverified = authenticated(await restApi(app.url).registerDoctor(aDoctor()));
    expect(await forwarded('verified=true', unverified.token)).toBe('verification');
    // A doctor's registration gives three abilities.
    expect(await forwarded('ability=pay', unverified.token)).toBe('ability');
  });

  test('to everybody else', async () => {
    const { body } = await execute(app.url, DoctorsForReviewDocument, {}, { Authorization: authorization });
    expect(body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', reason: 'role' } }]);
    const form = await send(`${app.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { ...ACCEPT, Origin: 'https://evil.example' },
      body: new URLSearchParams({ email: 'x' }),
    });
    expect(reasonOf(jsonOf(form))).toBe('origin');
    const unsigned = await send(`${app.url}/storage/licenses/${'a'.repeat(40)}.pdf`, { headers: ACCEPT });
    expect(reasonOf(jsonOf(unsigned))).toBe('signature');
  });

  test('to a service without events', async () => {
    const headers = { ...ACCEPT, ...basic(APPOINTMENTS.id, APPOINTMENTS.secret) };
    const { next } = jsonOf<{ next: string }>(await send(`${app.url}/events`, { headers }));
    expect(next).toBeDefined();
    const http = await send(`${app.url}/events?types=doctor.*`, { headers });
    expect(reasonOf(jsonOf(http))).toBe('service');
  });

  test('to everybody who registers in a role that is closed', async () => {
    const http = await sendJson(`${closed.url}/api/v1/auth/register/patient`, aPatient(), ACCEPT);
    expect(reasonOf(jsonOf(http))).toBe('registration');
  });

  test('with every reason of the documentation', () => {
    expect([...reasons].sort()).toEqual(Object.keys(FORBIDDEN_REASONS).sort());
  });
});
