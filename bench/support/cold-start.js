import { withConnections } from './connection.js';
import { meRequest } from './requests.js';
import { startDatabase, startProduction, startYardstick } from './server.js';

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

/**
 * A row about cold starts.
 * @param most the ratio that is to be reached
 * @param isEmbedded true if the gateway has its database in its process, instead of using that of the yardstick
 */
export const coldStart = (what, most, isEmbedded) => ({
  what,
  yardstick: 'node, bare Express and mongoose.connect, on an engine that runs',
  unit: ' ms',
  reach: { most },
  async open() {
    const database = await startDatabase();
    const settings = { MONGODB_URI: database.uri };
    return {
      yardstick: () => startMillis(() => startYardstick('express-mongoose', settings)),
      value: () => startMillis(() => startProduction(isEmbedded ? {} : settings)),
      close: database.stop,
    };
  },
});
