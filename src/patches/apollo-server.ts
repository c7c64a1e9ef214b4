/*
 * @apollo/server 5: loads @graphql-tools/schema when a server is made from `typeDefs`, and not at once.
 * Reason: its 90 files take 35 ms of every start and 3 MiB, and the gateway has a schema already. Only the CommonJS files of the server
 * can be loaded without it.
 * tests/unit/patches/apollo-server.test.ts fails when the server itself loads them later.
 */
import { createRequire } from 'node:module';
import { loadLater } from './load-later.ts';

const require = createRequire(import.meta.url);
loadLater(createRequire(require.resolve('@apollo/server')), '@graphql-tools/schema', 'makeExecutableSchema');

export const { ApolloServer, HeaderMap } = require('@apollo/server') as typeof import('@apollo/server');
export type HeaderMap = InstanceType<typeof HeaderMap>;
