import { buildSchema, GraphQLError, graphql } from 'graphql';
import { coercionText, isArgumentError, withoutValues } from '../../../src/api/graphql/graphql-errors.ts';

// The texts come from graphql-js itself, so that a version that words them differently is noticed here.
const schema = buildSchema(`
  scalar Upload
  enum Kind { ONE TWO }
  input Practice { city: String! }
  input Either @oneOf { one: String two: String }
  input SomeInput {
    email: String! licenseNumber: String! nickname: String count: Int share: Float isNew: Boolean kind: Kind id: ID
    licenseFile: Upload practice: Practice either: Either list: [String!]
  }
  type Query { call(input: SomeInput!): String takes(id: ID!, flag: Boolean): String }
`);
const upload = schema.getType('Upload') as { parseValue?: unknown };
upload.parseValue = () => {
  throw new GraphQLError('Upload must be a file of a multipart request.');
};

const SECRET = 'hunter2-hunter2';
const VALID = { email: 'a@b.c', licenseNumber: '1' };

/** The texts of graphql-js about variables that it cannot coerce. */
async function messagesOf(variableValues: Record<string, unknown>, source?: string): Promise<string[]> {
  const document = source ?? 'query ($input: SomeInput!) { call(input: $input) }';
  const { errors = [] } = await graphql({ schema, source: document, variableValues });
  expect(errors).not.toHaveLength(0);
  return errors.map(({ message }) => message);
}

/** All texts of graphql-js about a variable: for each kind of type, and for each problem of an input. */
test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', SECRET],
  ['a list', [SECRET]],
  ['a missing field', { email: SECRET }],
  ['a null field', { ...VALID, email: null }],
  ['a list in a field', { ...VALID, email: [SECRET] }],
  ['an object in a field', { ...VALID, email: { $gt: SECRET } }],
  ['a number in a field', { ...VALID, email: 5, nickname: SECRET }],
  ['no Int', { ...VALID, count: SECRET }],
  ['an Int beyond 32 bits', { ...VALID, count: 1e99, nickname: SECRET }],
  ['no Float', { ...VALID, share: SECRET }],
  ['no Boolean', { ...VALID, isNew: SECRET }],
  ['no ID', { ...VALID, id: [SECRET] }],
  ['no value of an enum', { ...VALID, kind: SECRET }],
  ['nearly a value of an enum', { ...VALID, kind: 'ONNE', nickname: SECRET }],
  ['no file', { ...VALID, licenseFile: SECRET }],
  ['an unknown field', { ...VALID, emial: SECRET }],
  ['an unknown field of a strange name', { ...VALID, [SECRET]: SECRET }],
  ['an object that is none', { ...VALID, practice: SECRET }],
  ['a missing field of an object in it', { ...VALID, practice: {}, nickname: SECRET }],
  ['an unknown field of an object in it', { ...VALID, practice: { city: 'x', town: SECRET } }],
  ['two of one', { ...VALID, either: { one: SECRET, two: SECRET } }],
  ['null of one', { ...VALID, either: { one: null }, nickname: SECRET }],
  ['a null item', { ...VALID, list: [SECRET, null] }],
  ['a text that looks like an error', { ...VALID, email: [`" at "input.nickname"; Field "${SECRET}" is`] }],
])('the text about a variable with %s contains only its name', async (_case, input) => {
  for (const message of await messagesOf({ input })) {
    expect(coercionText(message)).toBe('Variable "$input" is missing or of the wrong type.');
  }
});

test.each([
  ['id', 'query ($x: ID = "x") { takes(id: $x) }'],
  ['input', `query ($x: String = "x") { call(input: { email: $x, licenseNumber: "${SECRET}" }) }`],
  ['if', 'query ($x: Boolean = true) { takes(id: 1) @include(if: $x) }'],
])('null for a variable with a default is no error of a resolver: argument "%s"', async (name, source) => {
  const { errors = [] } = await graphql({ schema, source, variableValues: { x: null } });
  expect(errors).toHaveLength(1);
  for (const error of errors) {
    expect(isArgumentError(error)).toBe(true);
    expect(coercionText(error.message)).toBe(`Argument "${name}" is missing or of the wrong type.`);
  }
});

test('an error of a resolver with such a text is not an argument error', () => {
  const message = 'Argument "id" has invalid value 5.';
  expect(isArgumentError(new Error(message))).toBe(false);
  expect(isArgumentError(new GraphQLError(message, { originalError: new Error(message) }))).toBe(false);
});

test('a message about something else than a variable gets no new text', () => {
  for (const message of ['Cannot query field "x" on type "Query".', 'Syntax Error: Unexpected <EOF>.', '']) {
    expect(coercionText(message)).toBeUndefined();
  }
});

// tests/hostile/graphql.test.ts has more.
test.each([`"a" "${SECRET}"`, `{ a } "${SECRET}"`, `query "${SECRET}" { a }`])(
  'no text of graphql-js about a document gets through with a literal in it: %s',
  async (source) => {
    for (const message of await messagesOf({}, source)) {
      expect(withoutValues(message)).not.toContain(SECRET);
    }
  },
);
