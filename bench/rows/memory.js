import { setTimeout as sleep } from 'node:timers/promises';
import { succeed, withConnections } from '../support/connection.js';
import { registerPatient } from '../support/http.js';
import { rateOfEach } from '../support/load.js';
import { loginRequest, logoutRequest, meRequest } from '../support/requests.js';
import { PASSWORD } from '../support/seed.js';
import { residentMebibytes, startDatabase, startProduction } from '../support/server.js';

const CLIENTS = 16;
/** A visit: one login, so many `me` with its token, one logout. */
const ME_EACH = 8;
const EMAIL = 'patient@bench.example';

/** Sends a number of requests: visits by several clients at a time. */
async function visit(port, requests) {
  const login = loginRequest(EMAIL, PASSWORD);
  const visits = Array.from({ length: requests / (ME_EACH + 2) });
  await withConnections(port, CLIENTS, (connections) =>
    rateOfEach(visits, CLIENTS, async (i) => {
      const connection = connections[i];
      const { token } = JSON.parse(await succeed(connection, login));
      const me = meRequest(token);
      for (let k = 0; k < ME_EACH; k += 1) {
        await succeed(connection, me);
      }
      await succeed(connection, logoutRequest(token));
    }),
  );
}

/** Resident memory once the connections have been closed. */
async function settled({ pid }) {
  await sleep(1000);
  return residentMebibytes(pid);
}

/**
 * Measures a gateway twice during its life.
 * @param isEmbedded true if it has its database in its process: then pages of the database count as its memory, although the
 *   system may free them at any time
 */
function lifeOf({ isEmbedded, few, many }) {
  let database;
  let gateway;
  const afterFew = async () => {
    database = isEmbedded ? undefined : await startDatabase();
    gateway = await startProduction({ BCRYPT_COST: '4', ...(database && { MONGODB_URI: database.uri }) });
    await registerPatient(gateway.port, EMAIL, PASSWORD);
    await visit(gateway.port, few);
    return settled(gateway);
  };
  const afterMany = async () => {
    await visit(gateway.port, many - few);
    const mebibytes = await settled(gateway);
    await gateway.stop();
    await database?.stop();
    return mebibytes;
  };
  return { afterFew, afterMany };
}

export const row = {
  what: 'resident memory after 100,000 requests (login, me, logout)',
  yardstick: 'after 1,000',
  unit: ' MiB',
  reach: { most: 1.1 },
  isWarm: false,
  async open({ quick }) {
    const counts = quick ? { few: 100, many: 10_000 } : { few: 1000, many: 100_000 };
    const { afterFew, afterMany } = lifeOf({ isEmbedded: false, ...counts });
    const embedded = lifeOf({ isEmbedded: true, ...counts });
    const notes = {
      'with the embedded database in the process, MiB after only 1,000': await embedded.afterFew(),
      'with the embedded database in the process, MiB': await embedded.afterMany(),
    };
    return { yardstick: afterFew, value: afterMany, notes, close: async () => {} };
  },
};
