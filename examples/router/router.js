/*
 * A supergraph of auth-gateway and the example service (docs/behind-the-gateway.md, "As a subgraph of Apollo Federation"). Tested with
 * @apollo/gateway 2.14.4 and @apollo/server 5. In production, compose the supergraph beforehand (`rover subgraph introspect`, with the
 * header below), and give its file to the router. Send documents to auth-gateway itself: @apollo/gateway does not forward uploads.
 */
import { ApolloGateway, IntrospectAndCompose, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

const { AUTH_GATEWAY_SECRET, PORT = '4200' } = process.env;
const credentials = Buffer.from(`router:${AUTH_GATEWAY_SECRET}`).toString('base64');

/** Passes the token of the caller on. */
class Subgraph extends RemoteGraphQLDataSource {
  willSendRequest({ request, context }) {
    if (context.authorization) {
      request.http.headers.set('Authorization', context.authorization);
    }
  }
}

/** The key says which service asks. Only auth-gateway gets the secret. */
class AuthGateway extends Subgraph {
  willSendRequest(options) {
    super.willSendRequest(options);
    options.request.http.headers.set('X-Service-Authorization', `Basic ${credentials}`);
  }
}

const subgraphs = [
  { name: 'accounts', url: 'http://127.0.0.1:4000/graphql' },
  { name: 'appointments', url: 'http://127.0.0.1:4100/graphql' },
];
const gateway = new ApolloGateway({
  supergraphSdl: new IntrospectAndCompose({ subgraphs }),
  buildService: ({ name, url }) => (name === 'accounts' ? new AuthGateway({ url }) : new Subgraph({ url })),
});
const server = new ApolloServer({ gateway });
const { url } = await startStandaloneServer(server, {
  listen: { port: Number(PORT) },
  context: async ({ req }) => ({ authorization: req.headers.authorization }),
});
console.log(`The supergraph is at ${url}`);
