import { setTimeout as sleep } from 'node:timers/promises';
import { succeed, withConnections } from '../support/connection.js';
import { pdfOf, registrationRequest } from '../support/doctor-form.js';
import { limitsRow } from '../support/limits.js';
import { paced, pacedRequests } from '../support/load.js';
import { INTROSPECTION_CLIENTS, introspectionRequest } from '../support/questions.js';
import { loginRequest, meRequest } from '../support/requests.js';
import { emailOf, openSeed, PASSWORD } from '../support/seed.js';
import { residentMebibytes, startDatabase, startProduction } from '../support/server.js';
import { quantile } from '../support/statistics.js';

const SECONDS = 600;
const PEOPLE = 100;
const DOCUMENT = pdfOf(1024 * 1024);

/** Registrations are ten seconds apart, so each has a connection of its own. */
const registerDoctors = (port, seconds) =>
  paced(0.1, seconds, (i) =>
    withConnections(port, 1, ([connection]) =>
      succeed(connection, registrationRequest(`doctor-${i}@bench.example`, DOCUMENT)),
    ),
  );

/** All of the work at the same time. A single wrong answer fails it. */
async function work({ port, pid }, tokens, seconds) {
  const mes = tokens.map(meRequest);
  const introspections = tokens.map(introspectionRequest);
  const logins = tokens.map((_, i) => loginRequest(emailOf(i), PASSWORD));
  const repeated = (perSecond, requests) =>
    pacedRequests(port, perSecond, seconds, (i) => requests[i % requests.length]);
  const [me, introspection, login, middle] = await Promise.all([
    repeated(50, mes),
    repeated(20, introspections),
    repeated(2, logins),
    sleep(seconds * 500).then(() => residentMebibytes(pid)),
    registerDoctors(port, seconds),
  ]);
  const end = residentMebibytes(pid);
  return {
    'p99 of me, ms': { value: quantile(me, 0.99), limit: 25 },
    'p99 of introspections, ms': { value: quantile(introspection, 0.99), limit: 25 },
    'p99 of logins, ms': { value: quantile(login, 0.99), limit: 1000 },
    'memory at the end, MiB': { value: end, limit: 300 },
    'memory at the end, of that in the middle': { value: end / middle, limit: 1.03 },
  };
}

export const row = limitsRow({
  what: 'ten minutes of mixed work',
  async open({ quick }) {
    const settings = { BCRYPT_COST: '12' };
    const database = await startDatabase();
    const seed = await openSeed(database.uri, settings);
    await seed.addAccounts(PEOPLE);
    const tokens = await seed.addTokens(PEOPLE, PEOPLE);
    await seed.close();
    const gateway = await startProduction({ ...settings, MONGODB_URI: database.uri, INTROSPECTION_CLIENTS });
    return {
      measure: () => work(gateway, tokens, quick ? SECONDS / 20 : SECONDS),
      close: () => gateway.stop().finally(database.stop),
    };
  },
});
