import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { OPERATIONS, type Operation } from '../../../src/api/inputs/operations.ts';
import { openApiDocument } from '../../support/openapi.ts';

const ROWS: [name: string, row: Operation][] = Object.entries(OPERATIONS);

/** Operations that only REST has. */
const ONLY_REST = ['confirmPasskey', 'user'];
/** Operations of the document that are about no account: services and proxies call them, or files are read. */
const OTHER = ['introspect', 'events', 'eventAccounts', 'forwardAuth', 'readDocument', 'readLegacyDocument'];

const documented = Object.entries(openApiDocument().paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

test('each operation of the schema has a row, and each row an operation', () => {
  const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  const names = ROWS.map(([name]) => name).filter((name) => !ONLY_REST.includes(name));
  expect(names.sort()).toEqual(fields.sort());
});

test('each endpoint of a row is documented with its path, its status and its need of a token', () => {
  const expected = documented
    .filter(({ operationId }) => !OTHER.includes(operationId))
    .map(({ operationId, method, path }) => [operationId, `${method} ${path}`]);
  expect(ROWS.flatMap(([name, { rest }]) => (rest ? [[name, rest]] : [])).sort()).toEqual(expected.sort());
  for (const { operationId, security, responses } of documented.filter(({ operationId }) =>
    ROWS.some(([name]) => name === operationId),
  )) {
    const [, row] = ROWS.find(([name]) => name === operationId) ?? [];
    const needsToken = row?.needs !== 'no token';
    // A challenge may take the place of a token.
    const accepted = row?.takesChallenge
      ? [{ accessToken: [] }, {}]
      : needsToken
        ? [{ accessToken: [] }]
        : [];
    expect({ operationId, security }).toEqual({ operationId, security: accepted });
    const done = Object.keys(responses).filter((status) => status.startsWith('2') && status !== '204');
    expect({ operationId, done }).toEqual({ operationId, done: [String(row?.status ?? 200)] });
  }
});

test('a refusal for a missing ability, or for a role, is recorded', () => {
  const unrecorded = ROWS.filter(
    ([, { needs, role, audited }]) => (!['no token', 'token'].includes(needs) || role) && !audited,
  );
  expect(unrecorded).toEqual([]);
});
