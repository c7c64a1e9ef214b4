import { withConnections } from '../support/connection.js';
import { meRequest } from '../support/requests.js';
import { startDatabase, startProduction, startYardstick } from '../support/server.js';

/** A GraphQL request without a token. Gateway and yardstick both answer that it is unauthenticated. */
const REQUEST = meRequest();
const EXPECTED = /unauthenticated/i;

/** Milliseconds from the start of a process to its first answer. */
async function startMillis(start) {
  const startedAt = performance.now();
  const server = await start();
  await withConnections(server.port, 1, async ([connection]) => {
    const { status, body } = await connection.exchange(REQUEST);
    if (!EXPECTED.test(body)) {
      throw new Error(`the first answer was ${status} ${body}`);
    }
  });
  const millis = performance.now() - startedAt;
  await server.stop();
  return millis;
}

export const row = {
  what: 'cold start of the built tree to its first GraphQL answer',
  yardstick: 'node, bare Express and mongoose.connect, on the same engine',
  unit: ' ms',
  reach: { most: 2 },
  async open() {
    const database = await startDatabase();
    const settings = { MONGODB_URI: database.uri };
    return {
      yardstick: () => startMillis(() => startYardstick('express-mongoose', settings)),
      value: () => startMillis(() => startProduction(settings)),
      others: { 'with its embedded database, ms': () => startMillis(() => startProduction()) },
      close: database.stop,
    };
  },
};
