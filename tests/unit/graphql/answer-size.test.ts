import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  isScalarType,
  isUnionType,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { asSubgraph } from '../../../src/api/graphql/federation.ts';
import { AnswerSize } from '../../../src/api/graphql/limits/answer-size.ts';
import { LIMITS } from '../../../src/api/graphql/limits/limits.ts';
import { createSchema, type SchemaParts } from '../../../src/api/graphql/schema.ts';
import { LINES_MAX_CHARACTERS } from '../../../src/auth/text-rules.ts';

// No resolver runs here, so the schema needs no service.
const schema: GraphQLSchema = asSubgraph(createSchema({} as SchemaParts), { introspection: true } as never);

/** Every field of an object that is not part of the introspection. */
const fields = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__'))
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })));

function sizeOf(query: string, variables: Record<string, unknown> = {}) {
  const document = parse(query);
  return new AnswerSize(schema, document, variables).of(document.definitions[0] as OperationDefinitionNode);
}

test('every list says how many items it has', () => {
  const lists = fields.filter(({ field }) => isListType(getNullableType(field.type)));
  expect(lists.length).toBeGreaterThan(15);
  expect(lists.filter(({ field }) => field.extensions.items === undefined)).toEqual([]);
});

test('every text of several lines says how long it may be', () => {
  const long = ['workHistory', 'publications', 'practiceAddress'];
  const texts = fields.filter(
    ({ field }) => isScalarType(getNullableType(field.type)) && long.includes(field.name),
  );
  expect(texts).toHaveLength(2 * long.length);
  expect(texts.filter(({ field }) => field.extensions.characters !== LINES_MAX_CHARACTERS)).toEqual([]);
});

/** All fields of a type, and of those inside it. */
function everything(type: GraphQLNamedType): string {
  if (!isObjectType(type)) {
    return isUnionType(type)
      ? `{ __typename ${type.getTypes().map((one) => `... on ${one.name} ${everything(one)}`)} }`
      : '';
  }
  const selections = Object.values(type.getFields()).map(
    (field) => `${field.name} ${everything(getNamedType(field.type))}`,
  );
  return `{ __typename ${selections.join(' ')} }`;
}

test.each([
  ['myTokens', ''],
  ['exportMyData', ''],
  ['doctorsForReview', '(first: 100)'],
  ['_entities', '(representations: $r)'],
])('%s may be asked for with all its fields', (name, args) => {
  const field = schema.getQueryType()?.getFields()[name];
  const query = `{ ${name}${args} ${field && everything(getNamedType(field.type))} }`;
  const size = sizeOf(query, { r: Array(100).fill({}) });
  expect(size.profiles).toBeLessThanOrEqual(LIMITS.profiles);
  expect(size.characters).toBeLessThanOrEqual(LIMITS.answerCharacters);
});

describe('the profiles of an operation', () => {
  const profile = 'profile { licenseNumber }';
  const entities = (selection: string) =>
    `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Account { ${selection} } } }`;
  const r = Array(100).fill({});

  const firstOf = (selection: string) => `query ($n: Int) { doctorsForReview(first: $n) { ${selection} } }`;
  const node = `edges { node { ${profile} } }`;
  const ofAccount = `${profile} account { ${profile} }`;
  const decision = `decideOnDoctor(id: "1", revision: 1, decision: APPROVE) { ${ofAccount} }`;

  test.each<[number, string, object]>([
    [1, `{ me { ${profile} } }`, {}],
    [3, `{ me { ${profile} b: ${profile} } b: me { ${profile} } }`, {}],
    [1, `{ me { ${profile} ${profile} ...A ...A } me { ...A } } fragment A on Account { ${profile} }`, {}],
    [100, entities(profile), { r }],
    [200, entities(`${profile} b: ${profile}`), { r }],
    [50, entities(profile), { r: r.slice(50) }],
    [100, entities(profile), { r: {} }],
    [20, `{ doctorsForReview { ${node} } }`, {}],
    [200, `{ doctorsForReview(first: 100) { edges { node { ${ofAccount} } } } }`, {}],
    [60, firstOf(`a: ${node} b: ${node}`), { n: 30 }],
    [100, firstOf(node), { n: -1 }],
    [100, firstOf(node), { n: 1e9 }],
    [100, firstOf(node), { n: 'x' }],
    [100, firstOf(node), { n: { valueOf: 1, toString: 1 } }],
    [1, `{ me { profile @skip(if: true) { licenseNumber } } }`, {}],
    [0, '{ __schema { types { fields { name } } } __typename }', {}],
    [2, `mutation { ${decision} }`, {}],
  ])('are counted: %i of %.70s', (profiles, query, variables) => {
    expect(sizeOf(query, variables as Record<string, unknown>).profiles).toBe(profiles);
  });
});

test('a name in the answer counts for each item', () => {
  const events = (name: string) => sizeOf(`{ exportMyData { events { ${name}: act } } }`).characters;
  expect(events('x'.repeat(255)) - events('x')).toBe(1_000 * 254);
  const names = (name: string) => sizeOf(`{ myTokens { ${name}: __typename } }`).characters;
  expect(names('x'.repeat(255)) - names('x')).toBe(100 * 254);
});

test('fragments that each spread the next one twice are counted once', () => {
  const levels = Array.from(
    { length: 60 },
    (_, i) => `fragment F${i} on Account { ...F${i + 1} ...F${i + 1} }`,
  );
  const query = `{ me { ...F0 } } ${levels.join(' ')} fragment F60 on Account { profile { licenseNumber } }`;
  expect(sizeOf(query).profiles).toBe(1);
});
