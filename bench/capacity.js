/*
 * npm run bench:capacity [-- <seconds>]: how many logins a second a core serves at each cost of bcrypt, for the table in
 * docs/performance.md. The gateway uses all cores. This process makes the load, which costs little compared with hashing.
 */
import { Agent } from 'node:http';
import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { postJson, registerPatient } from './support/http.js';
import { rate } from './support/load.js';
import { startProduction } from './support/server.js';

const COSTS = [10, 11, 12, 13, 14];
const SECONDS = Number(process.argv[2] ?? 15);
const SETTLE_MILLIS = 2_000;
const PASSWORD = 'correct horse';
const EMAIL = 'capacity@bench.example';
const CORES = availableParallelism();
const CLIENTS = CORES + 1;

/** The time of one hash on an idle core. */
async function hashMillis(cost) {
  const hash = await bcrypt.hash(PASSWORD, cost);
  const startedAt = performance.now();
  let count = 0;
  for (; count < 3 || performance.now() - startedAt < 1_000; count += 1) {
    await bcrypt.compare(PASSWORD, hash);
  }
  return (performance.now() - startedAt) / count;
}

/** Logins a second with as many clients as simultaneous hashes: every core is busy, and no login waits. */
async function loginsPerSecond(cost) {
  const gateway = await startProduction({
    BCRYPT_COST: String(cost),
    UV_THREADPOOL_SIZE: String(CORES + 2),
  });
  const agent = new Agent({ keepAlive: true });
  const logIn = async () => {
    const credentials = { email: EMAIL, password: PASSWORD };
    const { status, text } = await postJson(gateway.port, '/api/v1/auth/login', credentials, { agent });
    if (status !== 200) {
      throw new Error(`a login failed: ${status} ${text}`);
    }
  };
  try {
    await registerPatient(gateway.port, EMAIL, PASSWORD);
    return await rate(logIn, CLIENTS, { settleMillis: SETTLE_MILLIS, millis: SECONDS * 1000 });
  } finally {
    agent.destroy();
    await gateway.stop();
  }
}

const rows = [];
for (const cost of COSTS) {
  const millis = await hashMillis(cost);
  const perSecond = await loginsPerSecond(cost);
  rows.push({
    BCRYPT_COST: cost,
    'one hash, alone': `${millis.toFixed(0)} ms`,
    [`logins/s, ${CORES} cores`]: perSecond.toFixed(1),
    'logins/s and core': (perSecond / CORES).toFixed(1),
    'logins/hour and core': Math.round((3600 * perSecond) / CORES),
  });
}
console.table(rows);
