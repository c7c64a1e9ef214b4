import { succeed, withConnections } from '../support/connection.js';
import { rateOfEach } from '../support/load.js';
import { logoutRequest } from '../support/requests.js';
import { openSeed } from '../support/seed.js';
import { startDatabase, startProduction, startYardstick } from '../support/server.js';

const CLIENTS = 32;
const ACCOUNTS = 1000;

export const row = {
  what: `REST logout, ${CLIENTS} clients`,
  yardstick: 'bare Express with one driver look-up, one delete and one insert',
  unit: '/s',
  reach: { least: 1 },
  async open({ quick }) {
    const each = quick ? 2000 : 6000;
    const database = await startDatabase();
    const seed = await openSeed(database.uri, { BCRYPT_COST: '4' });
    await seed.addAccounts(ACCOUNTS);
    const settings = { MONGODB_URI: database.uri };
    const gateway = await startProduction(settings);
    const yardstick = await startYardstick('express-logout', settings);
    const logOutAll = async ({ port }) => {
      const requests = (await seed.addTokens(each, ACCOUNTS)).map(logoutRequest);
      return withConnections(port, CLIENTS, (connections) =>
        rateOfEach(requests, CLIENTS, (i, request) => succeed(connections[i], request)),
      );
    };
    return {
      yardstick: () => logOutAll(yardstick),
      value: () => logOutAll(gateway),
      processes: { yardstick: [yardstick.pid, database.pid], value: [gateway.pid, database.pid] },
      close: async () => {
        await seed.close();
        for (const server of [gateway, yardstick, database]) {
          await server.stop();
        }
      },
    };
  },
};
