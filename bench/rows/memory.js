import { setTimeout as sleep } from 'node:timers/promises';
import { succeed, withConnections } from '../support/connection.js';
import { registerPatient } from '../support/http.js';
import { rateOfEach } from '../support/load.js';
import { loginRequest, logoutRequest, meRequest } from '../support/requests.js';
import { PASSWORD } from '../support/seed.js';
import { residentMebibytes, startProduction } from '../support/server.js';

const CLIENTS = 16;
const FEW = 1000;
const MANY = 100_000;
/** A visit: one login, so many `me` with its token, one logout. */
const ME_EACH = 8;
const EMAIL = 'patient@bench.example';

/** Makes so many requests: visits by several clients at a time. */
async function visit(port, requests) {
  const login = loginRequest(EMAIL, PASSWORD);
  const visits = Array.from({ length: requests / (ME_EACH + 2) });
  await withConnections(port, CLIENTS, (connections) =>
    rateOfEach(visits, CLIENTS, async (i) => {
      const connection = connections[i];
      const { token } = JSON.parse(await succeed(connection, login));
      const me = meRequest(token);
      for (let k = 0; k < ME_EACH; k += 1) await succeed(connection, me);
      await succeed(connection, logoutRequest(token));
    }),
  );
}

/** Resident memory once the connections have been closed. */
async function settled({ pid }) {
  await sleep(1000);
  return residentMebibytes(pid);
}

export const row = {
  what: `resident memory after ${MANY.toLocaleString('en')} requests (login, me, logout)`,
  yardstick: `after ${FEW.toLocaleString('en')}`,
  unit: ' MiB',
  reach: { most: 1.15 },
  isWarm: false,
  async open({ quick }) {
    const many = quick ? MANY / 10 : MANY;
    let gateway;
    const afterFew = async () => {
      // With its database in its process, so that nothing is left out.
      gateway = await startProduction({ BCRYPT_COST: '4' });
      await registerPatient(gateway.port, EMAIL, PASSWORD);
      await visit(gateway.port, FEW);
      return settled(gateway);
    };
    const afterMany = async () => {
      await visit(gateway.port, many - FEW);
      const mebibytes = await settled(gateway);
      await gateway.stop();
      return mebibytes;
    };
    return { yardstick: afterFew, value: afterMany, close: async () => {} };
  },
};
