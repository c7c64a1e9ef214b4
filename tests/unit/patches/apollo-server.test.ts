import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const PATCH = pathToFileURL(path.resolve('dist/patches/apollo-server.js')).href;

/** Answers a query by a server that is made from a text. */
const ANSWER = `
  import { createRequire } from 'node:module';
  const { cache } = createRequire(process.cwd() + '/');
  const isLoaded = () => Object.keys(cache).some((file) => file.includes('@graphql-tools/utils'));
  const loadedFirst = isLoaded();
  const resolvers = { Query: { a: () => 1 } };
  const server = new ApolloServer({ typeDefs: 'type Query { a: Int }', resolvers });
  const { body } = await server.executeOperation({ query: '{ a }' });
  console.log(JSON.stringify({ loadedFirst, loadedThen: isLoaded(), ...body.singleResult.data }));
`;

const run = (load: string) => {
  const args = ['--input-type=module', '--eval', `${load};${ANSWER}`];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as unknown;
};

test('Apollo Server alone loads the schema tools at once', () => {
  // If it does not by now, src/patches/apollo-server.ts can go.
  const load = `const { ApolloServer } = process.getBuiltinModule('module').createRequire(process.cwd() + '/')('@apollo/server')`;
  expect(run(load)).toEqual({ loadedFirst: true, loadedThen: true, a: 1 });
});

test('with the patch it loads them when it makes a schema', () => {
  const load = `const { ApolloServer } = await import(${JSON.stringify(PATCH)})`;
  expect(run(load)).toEqual({ loadedFirst: false, loadedThen: true, a: 1 });
});
