import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { succeed, withConnections } from '../support/connection.js';
import { rateOfEach } from '../support/load.js';
import { CLIENTS, COST, openLogins } from '../support/logins.js';
import { PASSWORD } from '../support/seed.js';

/** As many people as log in at nine o'clock behind one address. */
const BURST = 100;

/** Everything at once: how many a second, until the last has ended. */
async function burstRate(run) {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: BURST }, (_, i) => run(i)));
  return (1000 * BURST) / (performance.now() - startedAt);
}

export const row = {
  what: `${BURST} logins at once from one address, bcrypt cost ${COST}`,
  yardstick: 'bare bcrypt, as many at once',
  unit: '/s',
  reach: { least: 0.9 },
  // By cheap logins, instead.
  isWarm: false,
  async open({ quick }) {
    const { gateway, requests, compile, close } = await openLogins({ quick, accounts: BURST, limits: 'on' });
    await compile(gateway);
    // Only logins from where the account has logged in before wait as long as it takes.
    await withConnections(gateway.port, CLIENTS, (connections) =>
      rateOfEach(requests, CLIENTS, (i, request) => succeed(connections[i], request)),
    );
    const hash = await bcrypt.hash(PASSWORD, COST);
    let hashMillis;
    const timeOneHash = async () => {
      const startedAt = performance.now();
      await bcrypt.compare(PASSWORD, hash);
      hashMillis = performance.now() - startedAt;
    };
    let rate;
    return {
      yardstick: () => burstRate(() => bcrypt.compare(PASSWORD, hash)),
      value: () =>
        withConnections(gateway.port, BURST, async (connections) => {
          await timeOneHash();
          rate = await burstRate((i) => succeed(connections[i], requests[i]));
          return rate;
        }),
      others: {
        'seconds until the last': () => BURST / rate,
        'seconds of one hash for each, by cores, and one more': () =>
          1 + (BURST * hashMillis) / 1000 / availableParallelism(),
      },
      close,
    };
  },
};
