import { withConnections } from '../support/connection.js';
import { keepGoing, pacedRequests } from '../support/load.js';
import { loginRequest, meRequest } from '../support/requests.js';
import { emailOf, openSeed, PASSWORD } from '../support/seed.js';
import { startDatabase, startProduction } from '../support/server.js';
import { quantile } from '../support/statistics.js';

const CLIENTS = 32;
const PER_SECOND = 50;

/** The p99 of `me` from its due time, in milliseconds. */
const timeMe = async (port, request, seconds) =>
  quantile(await pacedRequests(port, PER_SECOND, seconds, () => request), 0.99);

/** Logs in. After a 503 the client tries again at once, which is more load than the service asks for. */
async function tryLogin(connection, request) {
  const { status } = await connection.exchange(request);
  if (status !== 200 && status !== 503) {
    throw new Error(`the login failed: ${status}`);
  }
  return status === 200;
}

export const row = {
  what: `p99 of me beside ${CLIENTS} clients logging in`,
  yardstick: 'p99 of me beside nothing',
  unit: ' ms',
  reach: { most: 1.5 },
  async open({ quick }) {
    const seconds = quick ? 4 : 12;
    const settings = { BCRYPT_COST: '12' };
    const database = await startDatabase();
    const seed = await openSeed(database.uri, settings);
    await seed.addAccounts(CLIENTS);
    const me = meRequest((await seed.addTokens(1, 1))[0]);
    await seed.close();
    const gateway = await startProduction({ ...settings, MONGODB_URI: database.uri });
    const logins = Array.from({ length: CLIENTS }, (_, i) => loginRequest(emailOf(i), PASSWORD));
    const time = () => timeMe(gateway.port, me, seconds);
    const timeBesideLogins = () =>
      withConnections(gateway.port, CLIENTS, async (connections) => {
        const load = keepGoing((i) => tryLogin(connections[i], logins[i]), CLIENTS);
        await load.last(1000);
        const p99 = await time();
        await load.stop();
        return p99;
      });
    return {
      yardstick: time,
      value: timeBesideLogins,
      close: () => gateway.stop().finally(database.stop),
    };
  },
};
