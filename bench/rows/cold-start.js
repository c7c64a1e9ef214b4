import { withConnections } from '../support/connection.js';
import { head } from '../support/requests.js';
import { startDatabase, startProduction, startYardstick } from '../support/server.js';

/** Refused for want of a token, by the gateway and the yardstick alike. */
const REQUEST = head('/api/v1/auth/logout', { 'Content-Length': 0 });

/** Milliseconds from the start of a process to its first answer. */
async function startMillis(start) {
  const startedAt = performance.now();
  const server = await start();
  await withConnections(server.port, 1, async ([connection]) => {
    const { status } = await connection.exchange(REQUEST);
    if (status !== 401) throw new Error(`the first answer was ${status}`);
  });
  const millis = performance.now() - startedAt;
  await server.stop();
  return millis;
}

export const row = {
  what: 'cold start of the built tree to its first answer',
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
