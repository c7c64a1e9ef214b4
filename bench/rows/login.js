import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { succeed, withConnections } from '../support/connection.js';
import { registerPatient } from '../support/http.js';
import { rate, warmUp } from '../support/load.js';
import { loginRequest } from '../support/requests.js';
import { emailOf, openSeed, PASSWORD } from '../support/seed.js';
import { startDatabase, startProduction, startYardstick } from '../support/server.js';

const COST = 12;
/** Twice the number of simultaneous hashes: some logins always wait, but none so long that it is refused. */
const CLIENTS = 2 * (availableParallelism() + 1);
/** An account for the thousands of logins until the code is compiled. At cost 12 they would take ten minutes. */
const CHEAP = { email: 'cheap@bench.example', cost: 4, logins: 5000 };

export const row = {
  what: `login, bcrypt cost ${COST}, ${CLIENTS} clients`,
  yardstick: 'bare bcrypt, as many at a time',
  unit: '/s',
  reach: { least: 0.97 },
  async open({ quick }) {
    const time = { settleMillis: quick ? 1000 : 2000, millis: quick ? 3000 : 12_000 };
    const database = await startDatabase();
    const seed = await openSeed(database.uri, { BCRYPT_COST: String(COST) });
    await seed.addAccounts(CLIENTS);
    await seed.close();
    // The gateway's setting is the cost of new hashes. Stored hashes keep their own cost.
    const settings = { BCRYPT_COST: String(CHEAP.cost), MONGODB_URI: database.uri };
    const gateway = await startProduction(settings);
    await registerPatient(gateway.port, CHEAP.email, PASSWORD);
    const bare = await startYardstick('express-login', { MONGODB_URI: database.uri });
    for (const { port } of [gateway, bare]) {
      await warmUp(port, CLIENTS, quick ? 100 : CHEAP.logins, () => loginRequest(CHEAP.email, PASSWORD));
    }
    const requests = Array.from({ length: CLIENTS }, (_, i) => loginRequest(emailOf(i), PASSWORD));
    const hash = await bcrypt.hash(PASSWORD, COST);
    const logins = ({ port }) =>
      withConnections(port, CLIENTS, (connections) =>
        rate((i) => succeed(connections[i], requests[i]), CLIENTS, time),
      );
    return {
      yardstick: () => rate(() => bcrypt.compare(PASSWORD, hash), CLIENTS, time),
      value: () => logins(gateway),
      // The maximum on this machine with a server around the hash.
      others: { 'bare Express with the hash, one driver look-up and one insert': () => logins(bare) },
      close: () => Promise.all([gateway.stop(), bare.stop()]).finally(database.stop),
    };
  },
};
