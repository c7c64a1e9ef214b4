import { buildSchema, GraphQLError, graphql } from 'graphql';
import { readCoercionProblem, withoutValues } from '../../src/graphql/coercion-errors.ts';

// The texts come from graphql-js itself, so that a version that words them differently is noticed here.
const schema = buildSchema(`
  scalar Upload
  input Practice { city: String! }
  input SomeInput { email: String! licenseNumber: String! nickname: String count: Int licenseFile: Upload practice: Practice }
  type Query { call(input: SomeInput!): String takes(id: ID!, flag: Boolean): String }
`);
const upload = schema.getType('Upload') as { parseValue?: unknown };
upload.parseValue = () => {
  throw new GraphQLError('Upload must be a file of a multipart request.');
};

const SECRET = 'hunter2-hunter2';
const VALID = { email: 'a@b.c', licenseNumber: '1' };

/** What graphql-js says of variables that it cannot coerce. */
async function messagesOf(variables: Record<string, unknown>): Promise<string[]> {
  const source = 'query ($input: SomeInput!) { call(input: $input) }';
  const { errors = [] } = await graphql({ schema, source, variableValues: variables });
  expect(errors).not.toHaveLength(0);
  return errors.map(({ message }) => message);
}

const problemsOf = async (input: unknown) => (await messagesOf({ input })).map(readCoercionProblem);

test.each<[string, unknown, string, string]>([
  ['a missing field', { email: SECRET }, 'licenseNumber', 'The license number field is required.'],
  ['a null', { ...VALID, email: null }, 'email', 'The email field is required.'],
  ['a list', { ...VALID, email: [SECRET] }, 'email', 'The email field must be a string.'],
  ['an object', { ...VALID, email: { $gt: SECRET } }, 'email', 'The email field must be a string.'],
  ['a number', { ...VALID, licenseNumber: 5 }, 'licenseNumber', 'The license number field must be a string.'],
  ['no file', { ...VALID, licenseFile: SECRET }, 'licenseFile', 'The license file field must be a file.'],
])('%s is told on its field, without the value', async (_case, input, field, text) => {
  expect(await problemsOf(input)).toEqual([{ message: text, errors: { [field]: [text] } }]);
});

test.each([
  `" at "input.nickname"; Field "${SECRET}" of required type "String!" was not provided.`,
  `Field "${SECRET}" is not defined by type "SomeInput".`,
  `at "input.nickname"; Expected non-nullable type "String!" not to be null.`,
])('a value that imitates such a text is not believed: %s', async (forged) => {
  const told = JSON.stringify(await problemsOf({ ...VALID, email: [forged] }));
  expect(told).not.toContain(SECRET);
  expect(told).not.toContain('nickname');
});

test('an unknown field is named, its value is not', async () => {
  expect(await problemsOf({ ...VALID, emial: SECRET })).toEqual([
    { message: 'Field "emial" is not defined by type "SomeInput".' },
  ]);
});

test.each([[SECRET], [[SECRET]], [5], [undefined], [null]])(
  'a variable that is %j as a whole is told without it',
  async (input) => {
    for (const problem of await problemsOf(input)) expect(JSON.stringify(problem)).not.toContain(SECRET);
    expect((await problemsOf(SECRET))[0]).toEqual({
      message: 'Variable "$input" is missing or of the wrong type.',
    });
  },
);

test('no text of graphql-js about a variable gets through with a value in it', async () => {
  const places = [
    { ...VALID, email: { deep: [SECRET] } },
    { ...VALID, count: SECRET },
    { ...VALID, practice: SECRET },
    { ...VALID, practice: { city: [SECRET] } },
    { ...VALID, practice: { town: SECRET } },
    { ...VALID, nickname: `\n"; ${SECRET}`, email: [`; ${SECRET}`] },
  ];
  for (const input of places) expect(JSON.stringify(await problemsOf(input))).not.toContain(SECRET);
});

test('other messages are none of its business', () => {
  for (const message of ['Cannot query field "x" on type "Query".', 'Syntax Error: Unexpected <EOF>.', '']) {
    expect(readCoercionProblem(message)).toBeUndefined();
  }
});

test.each([
  `{ takes(id: ["${SECRET}"]) }`,
  `{ takes(id: { a: "${SECRET}" }) }`,
  `{ takes(id: 1, flag: "${SECRET}") }`,
  `{ call(input: "${SECRET}") }`,
  `{ call(input: { email: ["${SECRET}"], licenseNumber: "1" }) }`,
  `{ call(input: { email: "${SECRET} }) }`,
  `{ call(input: { email "${SECRET}" }) }`,
  `{ call(input: { email: "\\u${SECRET}" }) }`,
  `{ call(input: """${SECRET}`,
  `"${SECRET}"`,
  `"a" "${SECRET}"`,
  `{ a } "${SECRET}"`,
  `query "${SECRET}" { a }`,
])('no text of graphql-js about a document gets through with a literal in it: %s', async (source) => {
  const { errors = [] } = await graphql({ schema, source });
  expect(errors).not.toHaveLength(0);
  for (const { message } of errors) expect(withoutValues(message)).not.toContain(SECRET);
});
