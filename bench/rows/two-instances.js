import { Connection } from '../support/connection.js';
import { fastTime, fastWarmUp, requestRate, warmUp } from '../support/load.js';
import { meRequest } from '../support/requests.js';
import { tokensOfClients } from '../support/seed.js';
import { cpuMillis, startDatabase, startProduction } from '../support/server.js';

const CLIENTS = 32;

/** Calls a function with each gateway and the requests of its share of the clients, all at the same time. */
const shared = (gateways, requests, use) =>
  Promise.all(
    gateways.map((gateway, k) =>
      use(
        gateway,
        requests.filter((_, i) => i % gateways.length === k),
      ),
    ),
  );

/**
 * Two gateways that share one database and the same clients, against one gateway alone. The value is the processor time of an
 * answer, of gateways and engine, because more processes on the same cores cannot answer faster.
 */
export const row = {
  what: `GraphQL me, ${CLIENTS} clients, 2 instances on one database: CPU an answer`,
  yardstick: 'one instance',
  unit: ' ms',
  reach: { most: 1.05 },
  // By a number of requests, instead.
  isWarm: false,
  async open({ quick }) {
    const time = fastTime(quick);
    const database = await startDatabase();
    const requests = (await tokensOfClients(database.uri, CLIENTS)).map(meRequest);
    const start = () => startProduction({ MONGODB_URI: database.uri });
    const one = [await start()];
    const two = await Promise.all([start(), start()]);
    for (const gateways of [one, two]) {
      await shared(gateways, requests, ({ port }, own) =>
        warmUp(port, own.length, fastWarmUp(quick), (i) => own[i]),
      );
    }
    let perSecond = {};
    const cpuAnAnswer = async (gateways) => {
      const pids = [database.pid, ...gateways.map(({ pid }) => pid)];
      const [cpuBefore, answersBefore] = [cpuMillis(pids), Connection.answers];
      const rates = await shared(gateways, requests, ({ port }, own) =>
        requestRate(port, own.length, (i) => own[i], time),
      );
      perSecond = { ...perSecond, [gateways.length]: rates.reduce((sum, each) => sum + each) };
      return (cpuMillis(pids) - cpuBefore) / (Connection.answers - answersBefore);
    };
    return {
      yardstick: () => cpuAnAnswer(one),
      value: () => cpuAnAnswer(two),
      others: {
        'answers a second of one': () => perSecond[1],
        'answers a second of both': () => perSecond[2],
      },
      close: async () => {
        for (const server of [...one, ...two, database]) {
          await server.stop();
        }
      },
    };
  },
};
