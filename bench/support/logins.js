import { availableParallelism } from 'node:os';
import { registerPatient } from './http.js';
import { requestRate, warmUp } from './load.js';
import { loginRequest } from './requests.js';
import { emailOf, openSeed, PASSWORD } from './seed.js';
import { startDatabase, startProduction } from './server.js';

export const COST = 12;
/** Twice the number of simultaneous hashes: some logins always wait, but none so long that it is refused. */
export const CLIENTS = 2 * (availableParallelism() + 1);
/** An account for the thousands of logins until the code is compiled. At cost 12 they would take ten minutes. */
const CHEAP = {
  email: 'cheap@bench.example',
  cost: 4,
  logins: 5000,
  /** The limits on attempts let an account log in 120 times an hour. */
  allowed: 100,
};

/** How long each measurement of logins takes: at cost 12 a core serves four a second. */
export const loginTime = (quick) => ({ settleMillis: quick ? 1000 : 2000, millis: quick ? 3000 : 12_000 });

/**
 * Starts an engine with accounts at cost 12, and the gateway on it.
 * @param accounts how many
 * @param limits RATE_LIMIT of the gateway
 * @returns the gateway, the login of each account, what makes a server ready to be measured, and what measures its logins
 */
export async function openLogins({ quick, accounts = CLIENTS, limits = 'off' }) {
  const database = await startDatabase();
  const seed = await openSeed(database.uri, { BCRYPT_COST: String(COST) });
  await seed.addAccounts(accounts);
  await seed.close();
  // The gateway's setting is the cost of new hashes. Stored hashes keep their own cost.
  const settings = { BCRYPT_COST: String(CHEAP.cost), MONGODB_URI: database.uri, RATE_LIMIT: limits };
  const gateway = await startProduction(settings);
  await registerPatient(gateway.port, CHEAP.email, PASSWORD);
  const requests = Array.from({ length: accounts }, (_, i) => loginRequest(emailOf(i), PASSWORD));
  return {
    gateway,
    requests,
    compile: ({ port }) => {
      const count = quick || limits === 'on' ? CHEAP.allowed : CHEAP.logins;
      return warmUp(port, CLIENTS, count, () => loginRequest(CHEAP.email, PASSWORD));
    },
    loginRate: ({ port }) => requestRate(port, CLIENTS, (i) => requests[i], loginTime(quick)),
    close: () => gateway.stop().finally(database.stop),
  };
}
