import { readFile } from 'node:fs/promises';
import { buildSchema, Kind, parse } from 'graphql';
import { createAuthClient } from '../src/index.ts';

/** Not operations: they ask `me`, or nothing. */
const OTHERS = ['subscribe', 'refresh'];

/** Those of passkeys ask several operations, and a browser in between: passkeys.test.ts. */
const OF_PASSKEYS = /passkey/i;

/** The functions of a client and of its groups, by their names. */
const functionsOf = (group: object, prefix = ''): [string, (input: object) => unknown][] =>
  Object.entries(group).flatMap(([name, value]) => {
    if (typeof value === 'function') {
      return [[`${prefix}${name}`, value]];
    }
    const isGroup =
      typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
    return isGroup ? functionsOf(value, `${prefix}${name}.`) : [];
  });

test('the client has one function for each field of the schema’s roots', async () => {
  const asked: string[] = [];
  const fetch = async (_url: unknown, init?: RequestInit) => {
    const { query } = JSON.parse(String(init?.body));
    for (const definition of parse(query).definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION) {
        asked.push(
          ...definition.selectionSet.selections.flatMap((field) => ('name' in field ? field.name.value : [])),
        );
      }
    }
    return new Response('');
  };
  const client = createAuthClient({ url: 'http://gateway.example', fetch: fetch as typeof globalThis.fetch });
  for (const [name, call] of functionsOf(client)) {
    if (!OTHERS.includes(name) && !OF_PASSKEYS.test(name)) {
      await call({});
    }
  }
  const schema = buildSchema(await readFile('schema/schema.graphql', 'utf8'));
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const fields = roots.flatMap((root) => Object.keys(root?.getFields() ?? {}));
  expect(fields.filter((field) => OF_PASSKEYS.test(field))).toHaveLength(8);
  expect(asked.sort()).toEqual(fields.filter((field) => !OF_PASSKEYS.test(field)).sort());
});
