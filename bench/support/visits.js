import { setTimeout as sleep } from 'node:timers/promises';
import { succeed, withConnections } from './connection.js';
import { registerPatient } from './http.js';
import { rateOfEach } from './load.js';
import { loginRequest, logoutRequest, meRequest } from './requests.js';
import { PASSWORD } from './seed.js';
import { residentMebibytes, startDatabase, startProduction } from './server.js';

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
export function lifeOf({ isEmbedded, few, many }) {
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

const counted = (requests) => requests.toLocaleString('en');

/**
 * A row about the memory of a gateway that has its database in another process, after many requests and after few.
 * @param most the ratio that is to be reached
 * @param notes measures anything else, given both numbers
 */
export const memoryRow = ({ few, many, most, notes = async () => ({}), ...rest }) => ({
  what: `resident memory after ${counted(many)} requests (login, me, logout)`,
  yardstick: `after ${counted(few)}`,
  unit: ' MiB',
  reach: { most },
  isWarm: false,
  ...rest,
  async open({ quick }) {
    const counts = { few: quick ? few / 10 : few, many: quick ? many / 10 : many };
    const { afterFew, afterMany } = lifeOf({ isEmbedded: false, ...counts });
    return { yardstick: afterFew, value: afterMany, notes: await notes(counts), close: async () => {} };
  },
});
