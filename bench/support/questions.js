import { createHash } from 'node:crypto';
import { succeed, withConnections } from './connection.js';
import { fastTime, fastWarmUp, rate, warmUp } from './load.js';
import { meRequest, wholeRequest } from './requests.js';
import { tokensOfClients } from './seed.js';
import { startDatabase, startProduction, startYardstick } from './server.js';

const CLIENTS = 32;
const ID = 'bench';
const SECRET = 'a-secret-of-more-than-thirty-two-characters';

/** The header of the service that asks. */
const SERVICE = { Authorization: `Basic ${Buffer.from(`${ID}:${SECRET}`).toString('base64')}` };

/** The setting of a gateway that knows the service. */
export const INTROSPECTION_CLIENTS = `${ID}:${createHash('sha256').update(SECRET).digest('hex')}`;

export const introspectionRequest = (token) =>
  wholeRequest({
    method: 'POST',
    path: '/oauth/introspect',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...SERVICE },
    body: new URLSearchParams({ token }).toString(),
  });

/**
 * A row for a question of a service or a proxy about a token. Every client asks about its own token.
 * @param what the question
 * @param requestOf makes the request about a token
 * @param answered a text in every answer about a valid token; empty for an answer without a body
 */
export const questionRow = (what, requestOf, answered) => ({
  what: `${what}, ${CLIENTS} clients`,
  yardstick: 'bare Express with one driver look-up of token and account',
  unit: '/s',
  reach: { least: 0.8 },
  // By a number of requests, instead.
  isWarm: false,
  async open({ quick }) {
    const time = fastTime(quick);
    const database = await startDatabase();
    const tokens = await tokensOfClients(database.uri, CLIENTS);
    const settings = { MONGODB_URI: database.uri };
    const gateway = await startProduction({ ...settings, INTROSPECTION_CLIENTS });
    const express = await startYardstick('express-questions', settings);
    const requests = tokens.map(requestOf);
    const mes = tokens.map(meRequest);
    for (const { port } of [gateway, express]) {
      await warmUp(port, CLIENTS, fastWarmUp(quick), (i) => requests[i]);
    }
    await warmUp(gateway.port, CLIENTS, fastWarmUp(quick), (i) => mes[i]);
    const ask = async (connection, request) => {
      const body = await succeed(connection, request);
      if (!body.includes(answered)) {
        throw new Error(`an answer without ${answered}: ${body}`);
      }
    };
    const rateOf = ({ port }, sent, exchange) =>
      withConnections(port, CLIENTS, (connections) =>
        rate((i) => exchange(connections[i], sent[i]), CLIENTS, time),
      );
    return {
      yardstick: () => rateOf(express, requests, ask),
      value: () => rateOf(gateway, requests, ask),
      processes: { yardstick: [express.pid, database.pid], value: [gateway.pid, database.pid] },
      others: { 'our own GraphQL me': () => rateOf(gateway, mes, succeed) },
      close: async () => {
        for (const server of [gateway, express, database]) {
          await server.stop();
        }
      },
    };
  },
});
