import { fastTime, fastWarmUp, requestRate, warmUp } from '../support/load.js';
import { meRequest } from '../support/requests.js';
import { tokensOfClients } from '../support/seed.js';
import { startDatabase, startProduction, startYardstick } from '../support/server.js';

const CLIENTS = 32;

export const row = {
  what: `GraphQL me, ${CLIENTS} clients, every request traced`,
  yardstick: 'the same without traces',
  unit: '/s',
  reach: { least: 0.75 },
  // By a number of requests, instead.
  isWarm: false,
  async open({ quick }) {
    const time = fastTime(quick);
    const database = await startDatabase();
    const requests = (await tokensOfClients(database.uri, CLIENTS)).map(meRequest);
    const settings = { MONGODB_URI: database.uri };
    const collector = await startYardstick('otlp-collector');
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` };
    const plain = await startProduction(settings);
    const traced = await startProduction({ ...settings, ...endpoint });
    const tenth = await startProduction({
      ...settings,
      ...endpoint,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
    });
    const gateways = [plain, traced, tenth];
    for (const { port } of gateways) {
      await warmUp(port, CLIENTS, fastWarmUp(quick), (i) => requests[i]);
    }
    const rateOf = ({ port }) => requestRate(port, CLIENTS, (i) => requests[i], time);
    return {
      yardstick: () => rateOf(plain),
      value: () => rateOf(traced),
      processes: { yardstick: [plain.pid], value: [traced.pid] },
      others: { 'a tenth of the requests traced': () => rateOf(tenth) },
      close: async () => {
        for (const server of [...gateways, collector, database]) {
          await server.stop();
        }
      },
    };
  },
};
