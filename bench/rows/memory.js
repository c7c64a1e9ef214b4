import { setTimeout as sleep } from 'node:timers/promises';
import { succeed, withConnections } from '../support/connection.js';
import { registerPatient } from '../support/http.js';
import { rateOfEach } from '../support/load.js';
import { loginRequest, logoutRequest, meRequest } from '../support/requests.js';
import { PASSWORD } from '../support/seed.js';
import { residentMebibytes, startDatabase, startProduction } from '../support/server.js';

const CLIENTS = 16;
const FEW = 1000;
const MANY = 100_000;
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

/** A gateway that is measured twice, with a database in another process or in its own. */
function lifeOf({ isEmbedded }, many) {
  let database;
  let gateway;
  const afterFew = async () => {
    database = isEmbedded ? undefined : await startDatabase();
    gateway = await startProduction({ BCRYPT_COST: '4', ...(database && { MONGODB_URI: database.uri }) });
    await registerPatient(gateway.port, EMAIL, PASSWORD);
    await visit(gateway.port, FEW);
    return settled(gateway);
  };
  const afterMany = async () => {
    await visit(gateway.port, many - FEW);
    const mebibytes = await settled(gateway);
    await gateway.stop();
    await database?.stop();
    return mebibytes;
  };
  return { afterFew, afterMany };
}

export const row = {
  what: `resident memory after ${MANY.toLocaleString('en')} requests (login, me, logout)`,
  yardstick: `after ${FEW.toLocaleString('en')}`,
  unit: ' MiB',
  reach: { most: 1.1 },
  isWarm: false,
  async open({ quick }) {
    const many = quick ? MANY / 10 : MANY;
    // The pages of a database in the process count as its memory, although the system may free them at any time.
    const embedded = lifeOf({ isEmbedded: true }, many);
    const notes = {
      [`with the embedded database in the process, MiB after only ${FEW.toLocaleString('en')}`]:
        await embedded.afterFew(),
      'with the embedded database in the process, MiB': await embedded.afterMany(),
    };
    const { afterFew, afterMany } = lifeOf({ isEmbedded: false }, many);
    return { yardstick: afterFew, value: afterMany, notes, close: async () => {} };
  },
};
