// Longer than most: all kinds of requests in one list, because both paths must answer each of them alike.
import { readdirSync, readFileSync } from 'node:fs';
import {
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  visit,
} from 'graphql';

/** Who sends the request of a case. */
export type Sender = 'nobody' | 'patient' | 'doctor' | 'reviewer' | 'broken' | 'stranger';

/** A request that takes Apollo's path when its document is new, and may take the fast path when it is known. */
export interface PathCase {
  name: string;
  query: string;
  variables?: unknown;
  operationName?: unknown;
  as?: Sender;
  headers?: Record<string, string>;
  /** Fields beside those of GraphQL over HTTP. */
  more?: object;
  /** The whole body; it replaces the fields. */
  body?: (query: string) => string;
  /** The query of a GET. */
  search?: (query: string) => string;
  /**
   * Who answers it once its document is known: by default the fast path, `apollo` if it is not a usual request or does not
   * fit, `neither` if it is refused before.
   */
  by?: 'apollo' | 'neither';
  /** The setting that makes its document valid. */
  needs?: 'introspection' | 'federation';
}

const OPERATIONS = parse(
  readdirSync('schema/operations')
    .map((name) => readFileSync(`schema/operations/${name}`, 'utf8'))
    .join('\n'),
);

/** An operation of schema/operations with its fragments, by its name. */
function operation(name: string): string {
  const isNamed = ({ name: own }: OperationDefinitionNode | FragmentDefinitionNode) => own?.value === name;
  const found = OPERATIONS.definitions
    .filter((one) => one.kind === Kind.OPERATION_DEFINITION || one.kind === Kind.FRAGMENT_DEFINITION)
    .find(isNamed);
  if (!found) {
    throw new Error(`no operation or fragment ${name}`);
  }
  const parts = new Set([print(found)]);
  visit(found, {
    FragmentSpread: ({ name: { value } }) => {
      for (const part of operation(value).split(/\n\n(?=fragment )/)) {
        parts.add(part);
      }
    },
  });
  return [...parts].join('\n\n');
}

const me = '{ me { id name email role } }';
const REGISTER = operation('RegisterPatient');
const NAMED = 'query A { me { id } } query B { me { role } } mutation C { revokeOtherTokens }';
const JSON_TYPE = 'application/json';
const NEWER = 'application/graphql-response+json';
const NEW_PATIENT = { name: 'New Pat', email: 'new@example.org', password: 'correct horse battery' };

/** Cases of a patient who asks for the own account, unless they say otherwise. */
const ofPatient = (cases: Partial<PathCase>[]): PathCase[] =>
  cases.map((one) => ({ name: '', query: me, as: 'patient', ...one }));

const accepting = (accept: string) => ({
  name: `Accept: ${accept.slice(0, 80)}`,
  headers: { Accept: accept },
});

const ofType = (type: string) => ({ name: `Content-Type: ${type}`, headers: { 'Content-Type': type } });

const OF_TYPES: PathCase[] = ofPatient([
  ...['*/*', JSON_TYPE, NEWER, `${NEWER},${JSON_TYPE};q=0.9`, `${JSON_TYPE};q=0.1, ${NEWER}`, ''].map(
    accepting,
  ),
  { ...accepting(NEWER), name: 'an error of the newer type', as: 'nobody' },
  { ...accepting(`${JSON_TYPE}; callbackSpec=1.0; charset=utf-8, */*;q=0.5`), by: 'apollo' },
  ...['text/html', `${JSON_TYPE}, ${'a/b, '.repeat(300)}`].map((accept) => ({
    ...accepting(accept),
    by: 'neither' as const,
  })),
  ...['APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json;charset=UTF-8'].map(ofType),
  ...[
    'application/json; profile=x',
    'application/json; charset="utf-8"',
    'text/plain',
    'application/graphql',
  ].map((type) => ({ ...ofType(type), by: 'apollo' as const })),
  { ...ofType('application/json; charset=latin1'), by: 'neither' },
  { name: 'GET', search: (query) => `?query=${encodeURIComponent(query)}`, by: 'apollo' },
  {
    name: 'GET of a mutation',
    query: 'mutation { revokeOtherTokens }',
    search: (query) => `?query=${encodeURIComponent(query)}`,
    by: 'apollo',
  },
  {
    name: 'GET with everything',
    query: NAMED,
    search: (query) => `?variables=%7B%7D&operationName=B&query=${encodeURIComponent(query)}&x=1'2`,
    by: 'apollo',
  },
]);

const OF_BODIES: PathCase[] = ofPatient([
  { name: 'unknown fields', more: { id: 7, __proto__: null, constructor: 1 } },
  { name: 'all null', variables: null, operationName: null },
  { name: 'extensions', more: { extensions: {} }, by: 'apollo' },
  { name: 'extensions null', more: { extensions: null }, by: 'apollo' },
  {
    name: 'a persisted query',
    more: { extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } },
    by: 'apollo',
  },
  { name: 'variables as a text', variables: '{}', by: 'apollo' },
  { name: 'variables as a list', variables: [], by: 'apollo' },
  { name: 'variables as a number', variables: 5, by: 'apollo' },
  { name: 'operationName as a number', operationName: 5, by: 'apollo' },
  { name: 'a batch', body: (query) => JSON.stringify([{ query }]), by: 'apollo' },
  { name: 'no JSON', body: (query) => `{"query":${JSON.stringify(query)}`, by: 'neither' },
  { name: 'a body of a text', body: JSON.stringify, by: 'apollo' },
  { name: 'a body of null', body: () => 'null', by: 'apollo' },
  { name: 'an empty body', body: () => '', by: 'apollo' },
  { name: 'prettified JSON', body: (query) => JSON.stringify({ query }, null, 4) },
  { name: 'a byte order mark', body: (query) => `\ufeff${JSON.stringify({ query })}` },
  { name: 'a field twice', body: (query) => `{"query":"{","query":${JSON.stringify(query)}}` },
  {
    name: 'inherited names',
    body: (query) =>
      `{"query":${JSON.stringify(query)},"variables":{"__proto__":{"a":1},"constructor":{}},"__proto__":{"extensions":1}}`,
  },
  {
    name: 'the query as an object',
    body: () => JSON.stringify({ query: { kind: 'Document' } }),
    by: 'apollo',
  },
]);

const OF_NAMES: PathCase[] = ofPatient([
  { name: 'one of several', query: NAMED, operationName: 'A' },
  { name: 'another of several', query: NAMED, operationName: 'B' },
  { name: 'a mutation of several', query: NAMED, as: 'stranger', operationName: 'C' },
  { name: 'none of several', query: NAMED, by: 'apollo' },
  { name: 'an unknown one', query: NAMED, operationName: 'D', by: 'apollo' },
  { name: 'an empty name', query: NAMED, operationName: '', by: 'apollo' },
  { name: 'the right name', query: 'query Whole { me { id } }', operationName: 'Whole' },
  { name: 'a wrong name', query: 'query Whole { me { id } }', operationName: 'Other', by: 'apollo' },
  { name: 'an inherited name', query: 'query constructor { me { id } }', operationName: 'constructor' },
  { name: 'a name for the unnamed', operationName: 'toString', by: 'apollo' },
  { name: 'a long name', query: `query ${'N'.repeat(200)} { me { id } }` },
]);

const OF_DOCUMENTS: PathCase[] = ofPatient([
  {
    name: 'aliases and fragments',
    query:
      'query { a: me { ...F b: __typename } c: me { ... on Account { email } ...F } } fragment F on Account { id role }',
  },
  {
    name: 'skip and include',
    query: 'query ($s: Boolean!, $i: Boolean = true) { me { id @skip(if: $s) name @include(if: $i) } }',
    variables: { s: true },
  },
  { name: 'skip all', query: 'query { me @skip(if: true) { id } }' },
  { name: '__typename', query: '{ __typename }' },
  { name: 'several fields', query: '{ me { id } myTokens { name current } }' },
  {
    name: 'introspection',
    query: '{ __schema { queryType { name } } __type(name: "Account") { name } }',
    needs: 'introspection',
  },
  { name: 'a document that does not fit', query: '{ me { nonsense } }', by: 'apollo' },
  { name: 'a document with a missing variable', query: '{ me { id @skip(if: $s) } }', by: 'apollo' },
  { name: 'no document', query: '{', by: 'apollo' },
  { name: 'an empty document', query: '', by: 'apollo' },
  { name: 'a subscription', query: 'subscription { me }' },
  { name: 'a subscription of several', query: '{ me { id } } subscription S { x }', by: 'apollo' },
  { name: 'too deep', query: `{ ${'me { '.repeat(12)}id${' }'.repeat(12)} }`, by: 'apollo' },
  { name: 'a long document', query: `{ me { id } } #${'x'.repeat(30_000)}`, by: 'apollo' },
  {
    name: 'a long answer',
    query: `query { ${Array.from({ length: 10 }, (_, i) => `a${i}: me { id email }`).join(' ')} }`,
  },
  {
    name: 'entities',
    query: 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Account { id } } }',
    variables: { r: [{ __typename: 'Account', id: 'x' }] },
    needs: 'federation',
  },
  {
    name: 'too many entities',
    query: 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }',
    variables: { r: Array(101).fill({}) },
    by: 'apollo',
  },
  {
    name: 'representations of no type',
    query: 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }',
    variables: { r: [5, {}] },
    needs: 'federation',
  },
  { name: 'the schema of the subgraph', query: '{ _service { sdl } }', needs: 'federation' },
]);

const OF_VARIABLES: PathCase[] = [
  { name: 'registers', query: REGISTER, variables: { input: NEW_PATIENT } },
  { name: 'registers again', query: REGISTER, variables: { input: NEW_PATIENT } },
  {
    name: 'our rules',
    query: REGISTER,
    variables: { input: { ...NEW_PATIENT, email: 'no address', password: 'short' } },
  },
  {
    name: 'an extra variable',
    query: REGISTER,
    variables: { input: { ...NEW_PATIENT, email: 'other@example.org' }, more: [1, { a: 2 }] },
  },
  ...[
    undefined,
    {},
    { input: null },
    { input: 5 },
    { input: [] },
    { input: {} },
    { input: { ...NEW_PATIENT, name: 5 } },
    { input: { ...NEW_PATIENT, other: 1 } },
    { input: { ...NEW_PATIENT, dateOfBirth: '2026-13-01' } },
    { input: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i])) },
  ].map((variables, i) => ({
    name: `input that does not fit ${i}`,
    query: REGISTER,
    variables,
    by: 'apollo' as const,
  })),
  ...[{ s: 'PENDING', n: 2 }, { s: null }, { n: null }, { n: 0 }, { n: 101 }, {}, { a: 'no cursor' }].map(
    (variables, i) => ({
      name: `doctors ${i}`,
      query:
        'query ($s: VerificationStatus, $n: Int = 3, $a: String) { doctorsForReview(status: $s, first: $n, after: $a) { edges { node { revision } } pageInfo { hasNextPage } } }',
      variables,
      as: 'reviewer' as const,
    }),
  ),
  {
    name: 'an enum that does not fit',
    query: 'query ($s: VerificationStatus) { doctorsForReview(status: $s) { edges { cursor } } }',
    variables: { s: 'NONE' },
    as: 'reviewer',
    by: 'apollo',
  },
  {
    name: 'a secret that does not fit',
    query: 'mutation ($id: ID!) { revokeToken(id: $id) }',
    variables: { id: { password: 'hunter2' } },
    as: 'patient',
    by: 'apollo',
  },
  {
    name: 'a null that a default allows',
    query: 'query ($n: Int = 3) { doctorsForReview(first: $n) { edges { cursor } } }',
    variables: { n: null },
    as: 'reviewer',
  },
  {
    name: 'a literal',
    query:
      'mutation { login(input: { email: "patient@example.org", password: "wrong password" }) { token } }',
  },
];

/** An operation of the client, with these variables. */
const act = (name: string, variables: unknown, as: Sender = 'nobody'): PathCase => ({
  ...{ name: `${name} as ${as}`, query: operation(name), variables, as },
});
const NO_FILES = { licenseFile: null, diplomaFile: null, certificationFile: null };
const CHANGE = { currentPassword: 'correct horse battery', newPassword: 'correct horse stapler' };

const OF_OPERATIONS: PathCase[] = [
  ...(['nobody', 'patient', 'doctor', 'reviewer', 'broken', 'stranger'] as const).flatMap((as) =>
    [
      'Me',
      ...(as === 'doctor' || as === 'reviewer' ? ['MyTokens', 'ExportMyData', 'DoctorsForReview'] : []),
    ].map((name) => act(name, undefined, as)),
  ),
  act('Login', { input: { email: 'patient@example.org', password: 'correct horse battery' } }),
  act('Login', { input: { email: 'patient@example.org', password: 'incorrect horse' } }),
  act('DecideOnDoctor', { id: 'none', revision: 0, decision: 'APPROVE' }, 'reviewer'),
  act('DecideOnDoctor', { id: 'none', revision: 0, decision: 'APPROVE' }, 'patient'),
  act('ResubmitDocuments', { input: NO_FILES }, 'doctor'),
  { ...act('RegisterDoctor', { input: {} }), by: 'apollo' },
  act('RequestPasswordReset', { email: 'patient@example.org' }),
  act('ResetPassword', { input: { token: 'x', newPassword: 'correct horse 2' } }),
  act('RevokeToken', { id: 'none' }, 'patient'),
  act('ChangePassword', { input: CHANGE }, 'patient'),
  act('RevokeOtherTokens', {}, 'patient'),
  act('DeleteMyAccount', { input: { password: 'correct horse stapler' } }, 'patient'),
  act('Logout', {}, 'doctor'),
  act('Logout', {}, 'doctor'),
  ...Array.from({ length: 11 }, (_, i) => ({
    name: `a login too many ${i}`,
    query: operation('Login'),
    variables: { input: { email: 'reviewer@example.org', password: 'incorrect horse' } },
  })),
  {
    name: 'a login too many beside data',
    query:
      'mutation { login(input: { email: "reviewer@example.org", password: "no" }) { token } revokeOtherTokens }',
    as: 'reviewer',
  },
];

/** The cases in the order in which they are sent. The last ones end sessions. */
export const CASES_OF_DOCUMENTS = [...OF_DOCUMENTS, ...OF_VARIABLES];
export const ALL_CASES = [...OF_TYPES, ...OF_BODIES, ...OF_NAMES, ...CASES_OF_DOCUMENTS, ...OF_OPERATIONS];
