import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { succeed, withConnections } from '../support/connection.js';
import { rate } from '../support/load.js';
import { loginRequest } from '../support/requests.js';
import { emailOf, openSeed, PASSWORD } from '../support/seed.js';
import { startDatabase, startProduction, startYardstick } from '../support/server.js';

const COST = 12;
/** Twice what the gateway hashes at a time: there is always one waiting, and none so long that it is turned away. */
const CLIENTS = 2 * (availableParallelism() + 1);

export const row = {
  what: `login, bcrypt cost ${COST}, ${CLIENTS} clients`,
  yardstick: 'bare bcrypt, as many at a time',
  unit: '/s',
  reach: { least: 0.97 },
  async open({ quick }) {
    const time = { settleMillis: quick ? 1000 : 2000, millis: quick ? 3000 : 8000 };
    const settings = { BCRYPT_COST: String(COST) };
    const database = await startDatabase();
    const seed = await openSeed(database.uri, settings);
    await seed.addAccounts(CLIENTS);
    await seed.close();
    const gateway = await startProduction({ ...settings, MONGODB_URI: database.uri });
    const bare = await startYardstick('express-login', { MONGODB_URI: database.uri });
    const requests = Array.from({ length: CLIENTS }, (_, i) => loginRequest(emailOf(i), PASSWORD));
    const hash = await bcrypt.hash(PASSWORD, COST);
    const logins = ({ port }) =>
      withConnections(port, CLIENTS, (connections) =>
        rate((i) => succeed(connections[i], requests[i]), CLIENTS, time),
      );
    return {
      yardstick: () => rate(() => bcrypt.compare(PASSWORD, hash), CLIENTS, time),
      value: () => logins(gateway),
      // What can be had of this machine with a server around the hash.
      others: { 'bare Express with the hash, one driver look-up and one insert': () => logins(bare) },
      close: () => Promise.all([gateway.stop(), bare.stop()]).finally(database.stop),
    };
  },
};
