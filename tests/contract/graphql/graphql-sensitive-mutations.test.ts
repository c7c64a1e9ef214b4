import { type GraphqlBody, sendAsForm } from '../../support/graphql-api.ts';
import { jsonOf, sendJson } from '../../support/http.ts';
import { aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { useTestApp } from '../../support/test-app.ts';

// docs/decisions.md, "Hazards": fifty aliased logins in one operation would run fifty times.
const app = useTestApp();

const password = freshPassword();
rememberPassword(password);
const login = () => `login(input: { email: "${freshEmail()}", password: "${password}" }) { token }`;
const register = (email = freshEmail(), directive = '') =>
  `registerPatient(input: { name: "Pat Ient", email: "${email}", password: "${password}" }) ${directive} { token }`;
const EXPECTED = 'An operation must not have more than one login, registration or change of a password.';

const ask = async (query: string, more: object = {}) => {
  const response = await sendJson(`${app.url}/graphql`, { query, ...more });
  return { status: response.status, ...jsonOf<GraphqlBody<Record<string, unknown>>>(response) };
};

describe('operations with two logins or registrations', () => {
  test.each([
    ['under an alias', `mutation { ${register()} b: ${register()} }`],
    ['of another kind', `mutation { ${register()} ${login()} }`],
    ['without an alias', `mutation { ${register('a@example.org')} ${register('a@example.org')} }`],
    ['in an inline fragment', `mutation { ${register()} ... { b: ${register()} } }`],
    ['in an inline fragment of the type', `mutation { ${register()} ... on Mutation { b: ${register()} } }`],
    [
      'in inline fragments in one another',
      `mutation { ... { a: ${register()} ... { ... on Mutation { b: ${register()} } } } }`,
    ],
    ['in a fragment', `mutation { ${register()} ...F } fragment F on Mutation { b: ${register()} }`],
    [
      'in two fragments',
      `mutation { ...F ...G } fragment F on Mutation { a: ${register()} } fragment G on Mutation { b: ${register()} }`,
    ],
    [
      'in a fragment of a fragment',
      `mutation { ${register()} ...F } fragment F on Mutation { ...G } fragment G on Mutation { b: ${register()} }`,
    ],
    ['in a fragment that is spread twice', `mutation { ...F ...F } fragment F on Mutation { ${register()} }`],
    ['that is left out', `mutation { ${register()} b: ${register(freshEmail(), '@include(if: false)')} }`],
    [
      'in a fragment that is left out',
      `mutation { ${register()} ... @include(if: false) { b: ${register()} } }`,
    ],
    [
      'in an operation beside an honest one',
      `mutation A { a: ${register()} b: ${register()} } query B { __typename }`,
    ],
    [
      'in a bomb of fragments',
      `mutation { ...F0 } fragment F0 on Mutation { ...F1 ...F1 } fragment F1 on Mutation { ...F2 ...F2 } fragment F2 on Mutation { ${register()} }`,
    ],
  ])('the GraphQL API runs neither of two registrations %s', async (_case, query) => {
    const before = await app.database.count();
    for (const more of [{}, { operationName: 'A' }]) {
      const { status, data, errors } = await ask(query, more);
      expect(status).toBe(400);
      expect(data).toBeUndefined();
      expect(errors).toMatchObject([
        { message: EXPECTED, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
      ]);
    }
    expect(await app.database.count()).toEqual(before);
  });

  test('the GraphQL API refuses and runs none of fifty logins in one operation', async () => {
    const aliases = Array.from({ length: 50 }, (_, index) => `a${index}: ${login()}`).join(' ');
    const { status, errors } = await ask(`mutation { ${aliases} }`);
    expect(status).toBe(400);
    expect(errors?.every(({ extensions }) => extensions?.code === 'GRAPHQL_VALIDATION_FAILED')).toBe(true);
  });

  test('the GraphQL API refuses and runs none of two registrations in one multipart request', async () => {
    const query = `mutation { a: ${register()} b: ${register()} }`;
    const response = await sendAsForm(app.url, JSON.stringify({ query }));
    expect(jsonOf(response)).toMatchObject({ errors: [{ message: EXPECTED }] });
  });
});

test('the GraphQL API runs one login, in any fragment and beside other mutations', async () => {
  const query = `mutation A { ... { ...F } } mutation B { b: ${register()} }
    fragment F on Mutation { a: ${register()} __typename }`;
  for (const operationName of ['A', 'B']) {
    const { data, errors } = await ask(query, { operationName });
    expect(errors).toBeUndefined();
    expect(Object.keys(data ?? {})[0]).toBe(operationName.toLowerCase());
  }
});

test('an alias with the name of a login does not count as a login', async () => {
  const { errors } = await ask('mutation { login: __typename registerPatient: __typename }');
  expect(errors).toBeUndefined();
});

test('@include with a variable does not hide a second registration', async () => {
  const input = aPatient({ password });
  const query = `mutation ($input: RegisterPatientInput!, $no: Boolean!) {
    a: registerPatient(input: $input) { token }
    b: registerPatient(input: $input) @include(if: $no) { token }
  }`;
  const { errors } = await ask(query, { variables: { input, no: false } });
  expect(errors).toMatchObject([{ message: EXPECTED }]);
});
