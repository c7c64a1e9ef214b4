/*
 * npm run bench:capacity [-- <seconds>]: how many logins a second a core serves at each cost of bcrypt, for the table in
 * docs/operations.md. The gateway uses all cores; this process makes the load, which costs next to nothing beside hashing.
 */
import { Agent } from 'node:http';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import bcrypt from 'bcrypt';
import { postJson, registerPatient } from './support/http.js';
import { startGateway } from './support/server.js';

const COSTS = [10, 11, 12, 13, 14];
const SECONDS = Number(process.argv[2] ?? 15);
const PORT = 4962;
const PASSWORD = 'correct horse';
const EMAIL = 'capacity@bench.example';
const CORES = availableParallelism();
const CLIENTS = CORES + 1;

/** How long one hash takes that has a core for itself. */
async function hashMillis(cost) {
  const hash = await bcrypt.hash(PASSWORD, cost);
  const startedAt = performance.now();
  let count = 0;
  for (; count < 3 || performance.now() - startedAt < 1_000; count += 1) await bcrypt.compare(PASSWORD, hash);
  return (performance.now() - startedAt) / count;
}

/** Logins a second with as many clients as are hashed for at a time: every core is busy, and nobody waits. */
async function loginsPerSecond(cost) {
  const gateway = await startGateway(PORT, {
    BCRYPT_COST: String(cost),
    RATE_LIMIT: 'off',
    UV_THREADPOOL_SIZE: String(CORES + 2),
  });
  const agent = new Agent({ keepAlive: true });
  try {
    await registerPatient(PORT, EMAIL, PASSWORD);
    let going = true;
    const finishedAt = [];
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (going) {
        const { status, text } = await postJson(
          PORT,
          '/api/v1/auth/login',
          { email: EMAIL, password: PASSWORD },
          { agent },
        );
        if (status !== 200) throw new Error(`a login failed: ${status} ${text}`);
        finishedAt.push(performance.now());
      }
    });
    await Promise.race([sleep(SECONDS * 1000), Promise.all(clients)]);
    going = false;
    await Promise.all(clients);
    // The first of them came while others were only beginning.
    const steady = finishedAt.slice(CLIENTS);
    return (1000 * (steady.length - 1)) / (steady.at(-1) - steady[0]);
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
