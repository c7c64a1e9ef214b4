import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { createGuard, type GuardContext } from '@auth-gateway/guard';
import Fastify from 'fastify';
import { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';

const guard = createGuard({ url: 'https://auth.example.org', client: 'appointments', secret: 'x' });

const app = Fastify();
app.addHook('onRequest', guard.fastify());
app.get(
  '/',
  { preHandler: guard.fastify({ role: 'doctor' }) },
  async (request) => guard.session(request).name,
);

const server = new ApolloServer<GuardContext>({ typeDefs: 'type Query { a: Int }' });
await startStandaloneServer(server, { context: ({ req }) => guard.context(req) });

export const yoga = createYoga({ context: ({ request }) => guard.context(request, { GraphQLError }) });
