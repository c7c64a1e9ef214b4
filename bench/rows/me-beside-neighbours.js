import { existsSync } from 'node:fs';
import { succeed, withConnections } from '../support/connection.js';
import { fastTime, rate, warmUp } from '../support/load.js';
import { wholeRequest } from '../support/requests.js';
import { startDatabase, startProduction, startServer } from '../support/server.js';

const CLIENTS = 32;
const INSTALLED = new URL('../neighbours/node_modules', import.meta.url);
const NEIGHBOURS = '../neighbours/neighbours.js';

/** Who-am-I answers a second. Every answer must contain the e-mail. */
async function whoAmIRate(port, { whoAmI, email }, time) {
  const request = wholeRequest(whoAmI);
  const ask = async (connection) => {
    const body = await succeed(connection, request);
    if (!body.includes(email)) {
      throw new Error(`an answer without ${email}: ${body}`);
    }
  };
  return withConnections(port, CLIENTS, (connections) => rate((i) => ask(connections[i]), CLIENTS, time));
}

export const row = {
  what: `who am I, ${CLIENTS} clients`,
  yardstick: 'the faster of parse-server and better-auth',
  unit: '/s',
  reach: { least: 5 },
  // By a number of requests, instead.
  isWarm: false,
  missing: () =>
    existsSync(INSTALLED) ? undefined : 'the neighbours are not installed (npm ci --prefix bench/neighbours)',
  async open({ quick }) {
    const time = fastTime(quick);
    const { NEIGHBOURS: neighbours, prepareGateway } = await import(NEIGHBOURS);
    const database = await startDatabase();
    const settings = { MONGODB_URI: database.uri, BCRYPT_COST: '10' };
    const servers = [database];
    const start = async (starting, prepare) => {
      const server = await starting;
      servers.unshift(server);
      const prepared = await prepare(`http://127.0.0.1:${server.port}`);
      const request = wholeRequest(prepared.whoAmI);
      await warmUp(server.port, CLIENTS, quick ? 1000 : 10_000, () => request);
      return () => whoAmIRate(server.port, prepared, time);
    };
    const gateway = await start(startProduction(settings), prepareGateway);
    const rates = {};
    for (const { name, script, prepare } of neighbours) {
      rates[name] = await start(startServer([script], 0, { NODE_ENV: 'production', ...settings }), prepare);
    }
    const latest = {};
    const fasterNeighbour = async () => {
      for (const [name, measure] of Object.entries(rates)) {
        latest[name] = await measure();
      }
      return Math.max(...Object.values(latest));
    };
    return {
      yardstick: fasterNeighbour,
      value: gateway,
      others: Object.fromEntries(Object.keys(rates).map((name) => [name, async () => latest[name]])),
      close: async () => {
        for (const server of servers) {
          await server.stop();
        }
      },
    };
  },
};
