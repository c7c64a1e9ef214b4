import { type GraphqlBody, PREFLIGHT } from '../../support/graphql-api.ts';
import { type HttpResponse, jsonOf, send, sendJson } from '../../support/http.ts';
import { aPatient, freshEmail } from '../../support/people.ts';
import { sectionOf } from '../../support/readme.ts';
import { useTestApp } from '../../support/test-app.ts';

// The table "When it does not work" of docs/client.md: each of its messages, by the mistake that leads to it.
const REGISTER = 'mutation ($input: RegisterDoctorInput!) { registerDoctor(input: $input) { token } }';
const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';
const FILES = ['licenseFile', 'diplomaFile', 'certificationFile'];
/** What a browser says. tests/browser/client-cors.test.ts has it. */
const OF_BROWSERS = ['Failed to fetch'];

const app = useTestApp();
const careful = useTestApp({
  GRAPHQL_INTROSPECTION: 'off',
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: '1',
  PAGES: 'on',
});

const aDoctor = (file: unknown) => ({
  ...aPatient(),
  phone: '+49 30 1234567',
  specialization: 'Cardiology',
  licenseNumber: 'L-1024',
  ...Object.fromEntries(FILES.map((name) => [name, file])),
});

/** The parts of a multipart request, in their order. */
const parts = (): [string, string | Blob][] => [
  ['operations', JSON.stringify({ query: REGISTER, variables: { input: aDoctor(null) } })],
  ['map', JSON.stringify(Object.fromEntries(FILES.map((name) => [name, [`variables.input.${name}`]])))],
  ...FILES.map((name): [string, Blob] => [name, new File(['%PDF-1.4\n'], `${name}.pdf`)]),
];

function upload(body: [string, string | Blob][], headers: Record<string, string> = PREFLIGHT) {
  const form = new FormData();
  for (const [name, value] of body) {
    form.append(name, value);
  }
  return send(`${app.url}/graphql`, { method: 'POST', headers, body: form });
}

const ask = (query: string, variables: object = {}, { url } = app) =>
  sendJson(`${url}/graphql`, { query, variables });

const withMap = (change: (map: string) => string): [string, string | Blob][] =>
  parts().map(([name, value]) => [name, name === 'map' ? change(String(value)) : value]);

const withTexts = (): [string, string | Blob][] =>
  parts().map(([name, value]) => [name, value instanceof File ? new File(['A text.'], value.name) : value]);

async function tooOften(): Promise<HttpResponse> {
  const input = { email: freshEmail(), password: 'wrong horse' };
  await ask(LOGIN, { input }, careful);
  return ask(LOGIN, { input }, careful);
}

const MISTAKES: [string, () => Promise<HttpResponse>, string][] = [
  [
    'no preflight header',
    () => upload(parts(), {}),
    'A multipart request must carry one of the headers apollo-require-preflight, x-apollo-operation-name.',
  ],
  [
    'the files first',
    () => upload(parts().reverse()),
    'The request body is not a valid GraphQL multipart request: operations, then map, then the files.',
  ],
  [
    'a content type by hand',
    () => upload(parts(), { ...PREFLIGHT, 'Content-Type': 'multipart/form-data' }),
    'The request body is not valid multipart form data.',
  ],
  [
    'paths without "variables"',
    () => upload(withMap((map) => map.replaceAll('variables.', ''))),
    'Every file of the map must have a place of its own in the variables, where the operations have null.',
  ],
  [
    'files as JSON',
    () => ask(REGISTER, { input: aDoctor(new File([], 'license.pdf')) }),
    'The license file field must be a file.',
  ],
  [
    'a map of another field',
    () => upload(withMap((map) => map.replaceAll('input.licenseFile', 'input.license'))),
    'The license file field is required.',
  ],
  [
    'files of another type',
    () => upload(withTexts()),
    'The license file field must be a file of type: pdf, jpg, jpeg, png, webp, heic, tif, tiff, doc, docx.',
  ],
  ['no token', () => ask('{ me { name } }'), 'Unauthenticated.'],
  ['too many logins', tooOften, 'Too Many Attempts.'],
  [
    'several operations in one request',
    () => sendJson(`${app.url}/graphql`, [{ query: '{ __typename }' }]),
    'Operation batching disabled.',
  ],
  [
    'no path',
    () => sendJson(`${careful.url}/`, { query: '{ __typename }' }),
    'The POST method is not supported for route /. Supported methods: GET, HEAD.',
  ],
  [
    'no mail server',
    () => ask(`mutation { requestPasswordReset(email: "${freshEmail()}") { message } }`),
    'Passwords are not reset by e-mail here. Ask the operator for a reset link.',
  ],
  [
    'codegen in production',
    () => ask('{ __schema { types { name } } }', {}, careful),
    'Introspection is off.',
  ],
];

test.each(MISTAKES)('the message about %s is the documented one', async (_mistake, make, message) => {
  const body = jsonOf<GraphqlBody<object> & { message?: string }>(await make());
  const [text] = (body.errors?.[0]?.message ?? body.message ?? '').split(' (and ');
  expect(text).toBe(message);
});

test('the document has these messages and no others', async () => {
  const section = await sectionOf('When it does not work', 'docs/client.md');
  const documented = [...section.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, message]) => message);
  const known = [...MISTAKES.map(([, , message]) => message), ...OF_BROWSERS];
  expect(new Set(documented)).toEqual(new Set(known));
});
