import { type GraphqlBody, graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, sendJson } from '../../support/http.ts';
import { sendForm } from '../../support/multipart.ts';
import { aDoctor, freshEmail, freshPassword } from '../../support/people.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { useTestApp } from '../../support/test-app.ts';

// docs/decisions.md, "Hazards": graphql-js quotes rejected values in its texts, TypeGraphQL in its extensions, and the
// value may be a password. With introspection on the texts are at their longest.
const app = useTestApp({ GRAPHQL_INTROSPECTION: 'on' });

const LOGIN = 'mutation Login($input: LoginInput!) { login(input: $input) { token } }';
const REGISTER =
  'mutation Register($input: RegisterPatientInput!) { registerPatient(input: $input) { token } }';

/** Checks that a request is refused, and that the answer has nothing of the secret in it. */
async function expectHidden(body: unknown, secret: string) {
  rememberPassword(secret);
  const response = await sendJson(`${app.url}/graphql`, body);
  const { errors = [] } = jsonOf<GraphqlBody<never>>(response);
  expect(errors).not.toHaveLength(0);
  expect(response.text).not.toContain(secret);
  return response;
}

/** Variables that the schema refuses, each with a secret where it hurts. */
const VARIABLES: [name: string, variables: (secret: string) => unknown][] = [
  ['a list as the password', (secret) => ({ input: { email: freshEmail(), password: [secret] } })],
  ['an object as the password', (secret) => ({ input: { email: freshEmail(), password: { $gt: secret } } })],
  ['an object as the e-mail', (secret) => ({ input: { email: { $gt: secret }, password: secret } })],
  ['no e-mail', (secret) => ({ input: { password: secret } })],
  ['a null e-mail', (secret) => ({ input: { email: null, password: secret } })],
  ['a number as the e-mail', (secret) => ({ input: { email: 5, password: secret } })],
  ['an unknown field', (secret) => ({ input: { email: freshEmail(), password: secret, passwort: secret } })],
  ['a text as the input', (secret) => ({ input: secret })],
  ['a list as the input', (secret) => ({ input: [secret, secret] })],
  ['no input', (secret) => ({ inputs: { password: secret } })],
  [
    'a text that looks like an error',
    (secret) => ({ input: { email: `at "input.x"; ${secret}`, password: [secret] } }),
  ],
  ['a text instead of variables', (secret) => secret],
  ['a list instead of variables', (secret) => [secret]],
];

test.each(VARIABLES)(
  'the error of variables with %s does not contain the password',
  async (_name, variables) => {
    const secret = freshPassword();
    await expectHidden({ query: LOGIN, variables: variables(secret) }, secret);
  },
);

/** Documents that are refused before anything runs, each with a secret in them. */
const DOCUMENTS: [name: string, document: (secret: string) => string][] = [
  ['a list', (secret) => `mutation { login(input: { email: "a@b.c", password: ["${secret}"] }) { token } }`],
  [
    'an object',
    (secret) => `mutation { login(input: { email: "a@b.c", password: { a: "${secret}" } }) { token } }`,
  ],
  [
    'a name',
    (secret) =>
      `mutation { login(input: { email: "a@b.c", password: ${secret.replaceAll('-', '_')} }) { token } }`,
  ],
  ['no e-mail', (secret) => `mutation { login(input: { password: "${secret}" }) { token } }`],
  [
    'an unknown field',
    (secret) => `mutation { login(input: { email: "a@b.c", passwort: "${secret}" }) { token } }`,
  ],
  ['a text as the input', (secret) => `mutation { login(input: "${secret}") { token } }`],
  [
    'a default of the wrong type',
    (secret) =>
      `mutation ($p: String = ["${secret}"]) { login(input: { email: "a@b.c", password: $p }) { token } }`,
  ],
  ['an unterminated text', (secret) => `mutation { login(input: { email: "a@b.c", password: "${secret}`],
  [
    'an unterminated block text',
    (secret) => `mutation { login(input: { email: "a@b.c", password: """${secret}`,
  ],
  [
    'a missing colon',
    (secret) => `mutation { login(input: { email: "a@b.c", password "${secret}" }) { token } }`,
  ],
  [
    'a stray text',
    (secret) => `mutation { login(input: { email: "a@b.c", password: "x" "${secret}" }) { token } }`,
  ],
  [
    'a stray name',
    (secret) =>
      `mutation { login(input: { email: "a@b.c" password: "x" }) ${secret.replaceAll('-', '_')}! { token } }`,
  ],
  [
    'a bad escape',
    (secret) => `mutation { login(input: { email: "a@b.c", password: "\\u${secret}" }) { token } }`,
  ],
  ['a text alone', (secret) => `"${secret}"`],
  ['a text as an id', (secret) => `mutation { revokeToken(id: ["${secret}"]) }`],
  [
    'a text as a file',
    (secret) => `mutation { registerDoctor(input: { licenseFile: "${secret}" }) { token } }`,
  ],
  ['a text as a directive’s condition', (secret) => `query { me @include(if: "${secret}") { id } }`],
];

test.each(DOCUMENTS)(
  'the error of a document with %s in the wrong place does not contain it',
  async (_name, document) => {
    const secret = freshPassword();
    const response = await expectHidden({ query: document(secret) }, secret);
    expect(response.text).not.toContain(secret.replaceAll('-', '_'));
  },
);

test('a validation error contains no refused value, neither in its text nor in its extensions', async () => {
  const secret = freshPassword();
  for (const password of [`${secret}${'x'.repeat(72)}`, `${secret}\0`]) {
    const input = { name: '', email: `${secret} is no e-mail`, phone: secret.repeat(20), password };
    await expectHidden({ query: REGISTER, variables: { input } }, secret);
  }
});

test('the error of a failed login contains no credentials', async () => {
  const secret = freshPassword();
  await expectHidden(
    { query: LOGIN, variables: { input: { email: freshEmail(), password: secret } } },
    secret,
  );
});

test('the error of a refused doctor contains nothing of the request', async () => {
  const secret = freshPassword();
  for (const fields of [
    { password: `${secret}${'x'.repeat(72)}` },
    { password: [secret] },
    { password: secret, licenseFile: secret },
    { password: secret, diplomaFile: { secret } },
    { password: secret, name: { secret } },
    { password: secret, role: secret },
  ]) {
    rememberPassword(secret);
    const request = graphqlApi(app.url).doctorRequest({ ...aDoctor(), ...fields });
    const response = await sendForm(app.url, request);
    expect(jsonOf(response)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect(response.text).not.toContain(secret);
  }
});
