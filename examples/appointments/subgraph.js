import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express from 'express';
import { buildSchema } from 'graphql';

/** What this subgraph adds to the supergraph. Of an account it knows only the id; the router asks the gateway for the rest. */
const SDL = `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])

type Query {
  "The caller's appointments, as the patient or as the doctor."
  appointments: [Appointment!]!
}

type Appointment {
  id: ID!
  "Null if there is no such account."
  patient: Account
  "Null if there is no such account."
  doctor: Account
  "In ISO 8601."
  startsAt: String!
}

type Account @key(fields: "id", resolvable: false) {
  id: ID!
}
`;

/** The router composes the supergraph from this. */
const SERVICE = `
extend type Query {
  _service: _Service!
}

type _Service {
  sdl: String!
}
`;

/**
 * The same appointments as a subgraph of Apollo Federation.
 * @param {{ guard: import('@auth-gateway/guard').Guard, appointments: import('./appointments.js').Appointments }} parts
 * @returns the handlers of its path
 */
export async function createSubgraph({ guard, appointments }) {
  /** @type {import('@apollo/server').ApolloServerOptions<import('@auth-gateway/guard').GuardContext>} */
  const options = {
    // The directives are for the router, so graphql does not know them.
    schema: buildSchema(SDL + SERVICE, { assumeValidSDL: true }),
    rootValue: {
      _service: { sdl: SDL },
      /**
       * @param {object} _args
       * @param {import('@auth-gateway/guard').GuardContext} context
       */
      appointments: (_args, { requireSession }) =>
        appointments.of(requireSession().accountId).map((appointment) => ({
          ...appointment,
          patient: { id: appointment.patient },
          doctor: { id: appointment.doctor },
        })),
    },
    includeStacktraceInErrorResponses: false,
    // Otherwise every caller could read how long each resolver takes.
    plugins: [ApolloServerPluginInlineTraceDisabled()],
  };
  const server = new ApolloServer(options);
  await server.start();
  return [
    express.json({ limit: '100kb' }),
    expressMiddleware(server, { context: ({ req }) => guard.context(req) }),
  ];
}
