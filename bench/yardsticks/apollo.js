import { createServer } from 'node:http';
import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express from 'express';
import { listen } from './listen.js';

const typeDefs = `
  enum Role { DOCTOR PATIENT }
  type Account { id: ID! name: String! email: String! role: Role! }
  type Query { me: Account! }
`;

/** Bare Apollo Server 5 on bare Express 5, with one field and nothing around it. */
export async function serveMe(me) {
  const server = new ApolloServer({
    typeDefs,
    resolvers: { Query: { me: (_root, _args, { req }) => me(req) } },
  });
  await server.start();
  const app = express();
  app.use('/graphql', express.json(), expressMiddleware(server, { context: async ({ req }) => ({ req }) }));
  await listen(createServer(app));
}
