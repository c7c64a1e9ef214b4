/*
 * node bench/neighbours/run.js [seconds] [rounds]: who-am-I and login of the gateway and of its neighbours on one embedded
 * engine, in alternating rounds. Prints a table; a wrong answer ends the run.
 */
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { cpuMillis, MAIN, startDatabase, startServer } from '../support/server.js';
import { median } from '../support/statistics.js';
import { NEIGHBOURS, prepareGateway } from './neighbours.js';

const { positionals } = parseArgs({ allowPositionals: true });
const [SECONDS, ROUNDS] = [Number(positionals[0] ?? 5), Number(positionals[1] ?? 5)];
const WARM_UP_SECONDS = 2;
/**
 * Connections for each kind of request. Four logins at a time keep two cores busy. More would only wait for each other, and
 * the gateway refuses a login that has waited for 1.5 s.
 */
const CONNECTIONS = { whoAmI: 32, login: 4 };
/** parse-server's bcrypt cost, which has no setting. */
const SETTINGS = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  BASE_URL: 'http://gateway.example',
  RATE_LIMIT: 'off',
  BCRYPT_COST: '10',
};

const CONTESTANTS = [
  { name: 'auth-gateway', args: MAIN, prepare: prepareGateway },
  ...NEIGHBOURS.map(({ name, script, prepare }) => ({ name, args: [script], prepare })),
];

/** Sends a request and throws unless the answer is correct. */
async function ask(pool, { path, ...options }, email) {
  const { statusCode, body } = await pool.request({ path, ...options });
  const text = await body.text();
  if (statusCode < 200 || statusCode > 299 || !text.includes(email)) {
    throw new Error(`${path} was answered ${statusCode}: ${text}`);
  }
}

/**
 * Correct answers per second on a number of busy connections, and the CPU time of server and engine for an answer in ms.
 * Other work on the machine changes the CPU time less than the rate.
 */
async function load({ url, pids, email, ...requests }, kind, seconds) {
  const pool = new Pool(url, { connections: CONNECTIONS[kind], pipelining: 1 });
  const usedCpu = () => cpuMillis(pids);
  const [startedAt, cpuBefore] = [performance.now(), usedCpu()];
  let answers = 0;
  const client = async () => {
    while (performance.now() < startedAt + seconds * 1000) {
      await ask(pool, requests[kind], email);
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS[kind] }, client));
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const cpu = (usedCpu() - cpuBefore) / answers;
  await pool.close();
  return { rate: answers / elapsedSeconds, cpu };
}

/** Starts a contestant and prepares its requests. `stops` gets the function that ends it, also if the preparation fails. */
async function start({ name, args, prepare }, database, stops) {
  const server = await startServer(args, 0, { ...SETTINGS, MONGODB_URI: database.uri });
  stops.unshift(server.stop);
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(server.line);
  return { name, url, pids: [server.pid, database.pid], ...(await prepare(url)) };
}

/** The results of all contestants in every round. */
async function measure(contestants, kind) {
  const rounds = Object.fromEntries(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) {
    await load(contestant, kind, WARM_UP_SECONDS);
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const contestant of contestants) {
      rounds[contestant.name].push(await load(contestant, kind, SECONDS));
    }
  }
  return rounds;
}

/** A ratio is the median of the ratios of the rounds: other load on the machine affects a whole round. */
function rowsOf(kind, rounds) {
  const rates = (name) => rounds[name].map(({ rate }) => rate);
  const neighbours = NEIGHBOURS.map(({ name }) => rates(name));
  const fastest = neighbours.sort((a, b) => median(b) - median(a))[0];
  return Object.keys(rounds).map((name) => ({
    what: kind,
    server: name,
    'per second': median(rates(name)).toFixed(0),
    min: Math.min(...rates(name)).toFixed(0),
    max: Math.max(...rates(name)).toFixed(0),
    'to the faster neighbour': median(rates(name).map((rate, round) => rate / fastest[round])).toFixed(2),
    'CPU ms': median(rounds[name].map(({ cpu }) => cpu)).toFixed(2),
  }));
}

const database = await startDatabase();
const stops = [database.stop];
try {
  const contestants = [];
  for (const contestant of CONTESTANTS) {
    contestants.push(await start(contestant, database, stops));
  }
  const rows = [];
  for (const kind of Object.keys(CONNECTIONS)) {
    rows.push(...rowsOf(kind, await measure(contestants, kind)));
  }
  console.log(`${ROUNDS} rounds of ${SECONDS} s each, connections: ${JSON.stringify(CONNECTIONS)}`);
  console.table(rows);
} finally {
  for (const stop of stops) {
    await stop();
  }
}
