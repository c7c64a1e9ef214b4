import {
  ChangePasswordDocument,
  DecideOnDoctorDocument,
  DeleteMyAccountDocument,
  DoctorsForReviewDocument,
  RegisterDoctorDocument,
  RegisterPatientDocument,
  RevokeTokenDocument,
} from '../../../packages/client/src/generated/graphql.ts';
import { type Api, type ApiOf, throughEachApi } from '../../support/apis.ts';
import { emailLinkSettings } from '../../support/email-links.ts';
import { authenticated, expectInvalid } from '../../support/expectations.ts';
import { type GraphqlBody, graphqlApi, sendAsForm } from '../../support/graphql-api.ts';
import { type HttpResponse, jsonOf, sendJson } from '../../support/http.ts';
import { sendForm } from '../../support/multipart.ts';
import { aDoctor, aPatient, type Fields, freshEmail, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

// No mail is ever sent: nothing listens there.
const app = useTestApp({ GRAPHQL_INTROSPECTION: 'on', ...emailLinkSettings('smtp://127.0.0.1:9') });
const hidden = useTestApp({ GRAPHQL_INTROSPECTION: 'off' });

const required = (label: string) => [`The ${label} field is required.`];
const NO_TEXT = (label: string) => [`The ${label} field must be a string.`];
const BAD_EMAIL = ['The email field must be a valid email address.'];

const SHORT = (label: string) => [`The ${label} field must be at least 8 characters.`];

type Call = Exclude<keyof Api, 'doctorRequest' | 'doctorOutcome' | 'logout' | 'requestEmailVerification'>;

/** REST has shorter names for two fields, also in its texts. */
const inWordsOf = (apiOf: ApiOf, errors: Record<string, string[]>) =>
  apiOf === restApi
    ? (JSON.parse(
        JSON.stringify(errors).replaceAll('new password', 'password').replaceAll('date of birth', 'dob'),
      ) as typeof errors)
    : errors;

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';
const GENERIC = 'Variable "$input" is missing or of the wrong type.';

/** Expects one error whose map has exactly these texts in this order. */
function expectOneMap(http: HttpResponse, errors: Record<string, string[]>): void {
  const { data, errors: told = [] } = jsonOf<GraphqlBody<object>>(http);
  expect(http.status).toBe(200);
  expect(data ?? null).toBeNull();
  expect(told).toHaveLength(1);
  const { rules, ...extensions } = told[0]?.extensions ?? {};
  expect(extensions).toEqual({ code: 'BAD_USER_INPUT', errors });
  // A rule for each text, in the same order.
  expect(Object.entries(rules ?? {}).map(([field, { length }]) => [field, length])).toEqual(
    Object.entries(errors).map(([field, { length }]) => [field, length]),
  );
  expect(Object.keys(told[0]?.extensions?.errors ?? {})).toEqual(Object.keys(errors));
}

/** Expects one error that names no field. */
function expectGeneric(http: HttpResponse, message = GENERIC): void {
  const { errors } = jsonOf<GraphqlBody<object>>(http);
  expect(errors).toMatchObject([{ message }]);
  expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT' });
}

type Broken = [call: Call, fields: Fields, errors: Record<string, string[]>];

/** What each call is sent, and all that is wrong with it. `new password` is the password of a change or a reset. */
const BROKEN: Broken[] = [
  [
    'registerDoctor',
    aDoctor({ name: undefined, phone: ' ', email: 'none', licenseFile: 'x', diplomaFile: undefined }),
    {
      name: required('name'),
      email: BAD_EMAIL,
      phone: required('phone'),
      licenseFile: ['The license file field must be a file.'],
      diplomaFile: required('diploma file'),
    },
  ],
  [
    'registerPatient',
    aPatient({ name: null, email: 5, password: 'short', phone: ['1'], dateOfBirth: '2000-02-30' }),
    {
      name: required('name'),
      email: NO_TEXT('email'),
      phone: NO_TEXT('phone'),
      password: SHORT('password'),
      dateOfBirth: ['The date of birth field must be a valid date.'],
    },
  ],
  ['login', { email: 'none', password: undefined }, { email: BAD_EMAIL, password: required('password') }],
  ['login', { email: null, password: {} }, { email: required('email'), password: NO_TEXT('password') }],
  [
    'changePassword',
    { currentPassword: 5, newPassword: 'short', revokeOtherTokens: 'perhaps' },
    {
      currentPassword: NO_TEXT('current password'),
      newPassword: SHORT('new password'),
      revokeOtherTokens: ['The revoke other tokens field must be true or false.'],
    },
  ],
  ['resetPassword', { token: null }, { token: required('token'), newPassword: required('new password') }],
  ['verifyEmail', {}, { token: required('token') }],
  ['changeEmail', {}, { email: required('email'), password: required('password') }],
  ['changeEmail', { email: 5, password: null }, { email: NO_TEXT('email'), password: required('password') }],
  ['requestPasswordReset', {}, { email: required('email') }],
  ['requestPasswordReset', { email: 5 }, { email: NO_TEXT('email') }],
];

throughEachApi((apiOf) => {
  const api = () => apiOf(app.url);

  test.each(BROKEN)(
    'one error reports all that is wrong with a call of %s (%#)',
    async (call, fields, errors) => {
      const { token } = authenticated(await api().registerPatient(aPatient()));
      const before = await inventoryOf(app);
      expectInvalid(await api()[call](fields, `Bearer ${token}`), inWordsOf(apiOf, errors));
      expect(await inventoryOf(app)).toEqual(before);
    },
  );

  test('a taken e-mail is reported when nothing else is wrong', async () => {
    const { email } = authenticated(await api().registerPatient(aPatient())).account;
    const taken = { email: ['The email has already been taken.'] };
    expectInvalid(await api().registerPatient(aPatient({ email, name: null })), { name: required('name') });
    expectInvalid(await api().registerPatient(aPatient({ email })), taken);
    const incomplete = aDoctor({ email, diplomaFile: undefined });
    expectInvalid(await api().registerDoctor(incomplete), { diplomaFile: required('diploma file') });
    expectInvalid(await api().registerDoctor(aDoctor({ email })), taken);
  });
});

/** The mutations and queries that only GraphQL has. */
test.each<[name: string, document: object, variables: Fields, errors: Record<string, string[]>]>([
  ['deleteMyAccount', DeleteMyAccountDocument, { input: { password: 5 } }, { password: NO_TEXT('password') }],
  [
    'decideOnDoctor',
    DecideOnDoctorDocument,
    { id: null, revision: 1.5, decision: 'MAYBE', reason: 5 },
    {
      id: required('id'),
      revision: ['The revision field must be an integer.'],
      decision: ['The selected decision is invalid.'],
      reason: NO_TEXT('reason'),
    },
  ],
  [
    'decideOnDoctor',
    DecideOnDoctorDocument,
    { id: ['1'], decision: 'REJECT' },
    { id: NO_TEXT('id'), revision: required('revision'), reason: required('reason') },
  ],
  ['revokeToken', RevokeTokenDocument, {}, { id: required('id') }],
  [
    'doctorsForReview',
    DoctorsForReviewDocument,
    { first: 'x', after: 5 },
    { first: ['The first field must be between 1 and 100.'], after: NO_TEXT('after') },
  ],
])('one error reports all that is wrong with %s', async (_name, document, variables, errors) => {
  const http = await sendJson(`${app.url}/graphql`, { query: String(document), variables });
  expectOneMap(http, errors);
});

describe('the one error with the one map', () => {
  test('the error of a doctor lists the fields in the order of the REST API', async () => {
    const doctor = aDoctor({
      ...Object.fromEntries(Object.keys(aDoctor()).map((name) => [name, undefined])),
    });
    const rest = restApi(app.url);
    const refusal = rest.doctorOutcome(await sendForm(app.url, rest.doctorRequest(doctor)));
    if (refusal.ok) {
      throw new Error('not refused');
    }
    expect(Object.keys(refusal.errors)).toHaveLength(9);
    const request = graphqlApi(app.url).doctorRequest({ ...doctor, licenseFile: null });
    expectOneMap(await sendForm(app.url, request), refusal.errors);
  });

  test('the error of a doctor without a form is the same', async () => {
    const query = 'mutation ($input: RegisterDoctorInput!) { registerDoctor(input: $input) { token } }';
    const { licenseFile, diplomaFile, ...doctor } = aDoctor({ email: 'none', certificationFile: 'x' });
    const http = await sendJson(`${app.url}/graphql`, { query, variables: { input: doctor } });
    expectOneMap(http, {
      email: BAD_EMAIL,
      licenseFile: required('license file'),
      diplomaFile: required('diploma file'),
      certificationFile: ['The certification file field must be a file.'],
    });
  });

  test.each<[what: string, variables: unknown]>([
    ['none', undefined],
    ['null', { input: null }],
    ['a text', { input: 'x' }],
    ['a list', { input: [{ email: 'a@b.c', password: 'x' }] }],
    ['an empty object', { input: {} }],
    ['another one', { inputs: {} }],
  ])('one error reports all problems where the variable is %s', async (_what, variables) => {
    const http = await sendJson(`${app.url}/graphql`, { query: LOGIN, variables });
    expectOneMap(http, { email: required('email'), password: required('password') });
  });

  test.each<[what: string, query: string, variables: object]>([
    ['a variable for each field', 'mutation ($e: String!, $p: String!) { ... }', { e: 'none' }],
    [
      'a null for a default',
      'mutation ($e: String = "a@b.c", $p: String = "x") { ... }',
      { e: 'none', p: null },
    ],
    ['a default', 'mutation ($e: String! = "none", $p: String!) { ... }', {}],
    [
      'a fragment',
      'mutation ($e: String!, $p: String!) { ...F } fragment F on Mutation { ... }',
      { e: 'none' },
    ],
    ['an inline fragment', 'mutation ($e: String!, $p: String!) { ... on Mutation { ... } }', { e: 'none' }],
  ])('one error reports all problems of a document with %s', async (_what, query, variables) => {
    const field = '{ login(input: { email: $e, password: $p }) { token } }';
    const http = await sendJson(`${app.url}/graphql`, { query: query.replace('{ ... }', field), variables });
    expectOneMap(http, { email: BAD_EMAIL, password: required('password') });
  });

  test('one error reports all problems of one of several operations', async () => {
    const query = `query Q { __typename } ${LOGIN.replace('mutation', 'mutation L')}`;
    const body = { query, operationName: 'L', variables: { input: {} } };
    const http = await sendJson(`${app.url}/graphql`, body);
    expectOneMap(http, { email: required('email'), password: required('password') });
    const other = await sendJson(`${app.url}/graphql`, { ...body, operationName: 'Q' });
    expect(jsonOf(other)).toEqual({ data: { __typename: 'Query' } });
  });

  test('the error has status 400 for clients that accept graphql-response+json', async () => {
    const Accept = 'application/graphql-response+json';
    const http = await sendJson(`${app.url}/graphql`, { query: LOGIN, variables: { input: {} } }, { Accept });
    expect(http.status).toBe(400);
    const email = required('email');
    expect(jsonOf(http)).toMatchObject({ errors: [{ extensions: { errors: { email } } }] });
  });
});

describe('what only GraphQL refuses', () => {
  const unknown = (name: string) => [`Field "${name}" is not defined by type "LoginInput".`];

  test('unknown fields are in the map, after the others', async () => {
    const input = { remember: true, password: freshPassword() };
    const http = await sendJson(`${app.url}/graphql`, { query: LOGIN, variables: { input } });
    expectOneMap(http, { email: required('email'), remember: unknown('remember') });
    const whole = { email: freshEmail(), ...input };
    const other = await sendJson(`${app.url}/graphql`, { query: LOGIN, variables: { input: whole } });
    expectOneMap(other, { remember: unknown('remember') });
  });

  test('an unknown field with the name of something that every object has is reported like others', async () => {
    const whole = { email: freshEmail(), password: freshPassword() };
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const input: unknown = JSON.parse(`${JSON.stringify(whole).slice(0, -1)},"${name}":{"email":"x"}}`);
      const http = await sendJson(`${app.url}/graphql`, { query: LOGIN, variables: { input } });
      expect(jsonOf<GraphqlBody<object>>(http).errors?.[0]?.message).toBe(unknown(name)[0]);
    }
  });

  test('a field that only REST knows is unknown, and compared with nothing, and so is a role', async () => {
    const own = { name: 'Pat', email: 'none', password: freshPassword() };
    const input = { ...own, passwordConfirmation: 'x', role: 'DOCTOR' };
    const query = String(RegisterPatientDocument);
    const http = await sendJson(`${app.url}/graphql`, { query, variables: { input } });
    const refusal = (name: string) => unknown(name).map((text) => text.replace('Login', 'RegisterPatient'));
    const others = { passwordConfirmation: refusal('passwordConfirmation'), role: refusal('role') };
    expectOneMap(http, { email: BAD_EMAIL, ...others });
  });

  test('an unknown field with a name that is none is not repeated', async () => {
    const input = { email: freshEmail(), password: freshPassword(), 're member': true };
    expectGeneric(await sendJson(`${app.url}/graphql`, { query: LOGIN, variables: { input } }));
  });

  test('a spelling of yes that only forms need is refused', async () => {
    const input = { currentPassword: freshPassword(), newPassword: freshPassword(), revokeOtherTokens: '1' };
    const body = { query: String(ChangePasswordDocument), variables: { input } };
    const text = ['The revoke other tokens field must be true or false.'];
    expectOneMap(await sendJson(`${app.url}/graphql`, body), { revokeOtherTokens: text });
  });

  test('a literal of the wrong type is a fault of the document, a bad text is not', async () => {
    const ask = (input: string) =>
      sendJson(`${app.url}/graphql`, { query: `mutation { login(input: ${input}) { token } }` });
    expect(jsonOf(await ask('{ email: "none" }'))).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
    expectOneMap(await ask('{ email: "none", password: "" }'), {
      email: BAD_EMAIL,
      password: required('password'),
    });
  });

  test('a file in the place of a text, or of the whole input, has the same error', async () => {
    const request = (input: unknown, place: string) => {
      const operations = JSON.stringify({ query: String(RegisterDoctorDocument), variables: { input } });
      return sendAsForm(app.url, operations, JSON.stringify({ file: [place] }), ['file']);
    };
    const { licenseFile, diplomaFile, certificationFile, ...texts } = aDoctor();
    const files = {
      licenseFile: required('license file'),
      diplomaFile: required('diploma file'),
      certificationFile: required('certification file'),
    };
    expectOneMap(await request({ ...texts, name: null }, 'variables.input.name'), {
      name: NO_TEXT('name'),
      ...files,
    });
    const { errors } = jsonOf<GraphqlBody<object>>(await request(null, 'variables.input'));
    expect(Object.keys(errors?.[0]?.extensions?.errors ?? {})).toHaveLength(9);
  });
});

describe('with introspection off', () => {
  const ask = (query: string, variables?: unknown) => sendJson(`${hidden.url}/graphql`, { query, variables });

  test('without introspection an error names only fields that were sent', async () => {
    expectOneMap(await ask(LOGIN, { input: { email: 'none' } }), { email: BAD_EMAIL });
    expectOneMap(await ask(LOGIN, { input: { password: null } }), { password: required('password') });
    const request = graphqlApi(hidden.url).doctorRequest({ email: '', licenseFile: null, x: 1 });
    expectOneMap(await sendForm(hidden.url, request), {
      email: required('email'),
      licenseFile: required('license file'),
    });
  });

  test.each<[what: string, variables: unknown]>([
    ['nothing', undefined],
    ['null', { input: null }],
    ['a text', { input: 'email' }],
    ['a list', { input: ['email'] }],
    ['an empty object', { input: {} }],
    ['an unknown field', { input: { emial: 'x' } }],
    ['a field that all objects have', { input: { constructor: 'x', __proto__: 'x', toString: null } }],
    ['a good field and no other', { input: { email: freshEmail() } }],
    ['one field too many', { input: { email: freshEmail(), password: 'x', remember: true } }],
  ])('without introspection the error of %s names no other field', async (_what, variables) => {
    expectGeneric(await ask(LOGIN, variables));
  });

  test('without introspection the error of a form names no field that was not sent', async () => {
    const operation = { query: LOGIN, variables: { input: {} } };
    expectGeneric(await sendAsForm(hidden.url, JSON.stringify(operation)));
  });
});
