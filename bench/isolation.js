/*
 * npm run bench:isolation [-- <cost> <rounds>]: floods of logins and what others notice of them, the rate of logins compared
 * with bare bcrypt, and the time of `me` meanwhile. With 0 rounds it measures the floods only.
 * This process makes the load; the gateway is another process. Prints a table, and never fails a build.
 */
import { Agent } from 'node:http';
import bcrypt from 'bcrypt';
import { measureFloods } from './support/floods.js';
import { postJson, registerPatient } from './support/http.js';
import { keepGoing, paced, rate } from './support/load.js';
import { startGateway } from './support/server.js';
import { median, quantile } from './support/statistics.js';

const [COST, ROUNDS] = [Number(process.argv[2] ?? 12), Number(process.argv[3] ?? 5)];
const CLIENTS = 32;
/** These clients keep both cores busy at cost 12 and are all served. Most of `CLIENTS` get a 503, which costs time, too. */
const SATURATING = 12;
/** How long a rate is measured. */
const TIME = { settleMillis: 2_000, millis: 8_000 };
const ME_PER_SECOND = 50;
const ME_SECONDS = 12;
const WRONG_PER_MINUTE = 5_000;
/** Few e-mails, so that nearly all wrong logins are refused without a hash. */
const HAMMERED = 2;
const PORT = 4961;
const PASSWORD = 'correct horse';
const ME = { query: '{ me { id name email role } }' };
const emailOf = (i) => `client-${i}@isolation.example`;

const login = (i, password, agent) =>
  postJson(PORT, '/api/v1/auth/login', { email: emailOf(i), password }, { agent });

/** Logs in. After a 503 the client tries again at once, which is more load than the service asks for. */
async function tryLogin(i, agent) {
  const { status, text } = await login(i, PASSWORD, agent);
  if (status !== 200 && status !== 503) {
    throw new Error(`the login failed: ${status} ${text}`);
  }
  return status === 200;
}

/** In turns, so that other load on the machine affects both alike. */
async function compareRates(agent) {
  const hash = await bcrypt.hash(PASSWORD, COST);
  const rates = { bare: [], gateway: [], overloaded: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.bare.push(await rate(() => bcrypt.compare(PASSWORD, hash), SATURATING, TIME));
    rates.gateway.push(await rate((i) => tryLogin(i, agent), SATURATING, TIME));
    rates.overloaded.push(await rate((i) => tryLogin(i, agent), CLIENTS, TIME));
  }
  return rates;
}

/** The time of `me` from its due time: a `me` that waits for an earlier one counts as late. */
const timeMe = (token, agent) =>
  paced(ME_PER_SECOND, ME_SECONDS, async () => {
    const { status, text } = await postJson(PORT, '/graphql', ME, { agent, token });
    if (status !== 200 || text.includes('"errors"')) {
      throw new Error(`me failed: ${status} ${text}`);
    }
  });

/** `me` on an idle gateway and during the logins, in turns. */
async function meBesideLogins(token, agent) {
  const samples = { idle: [], busy: [] };
  const served = { logins: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    samples.idle.push(await timeMe(token, agent));
    const load = keepGoing((i) => tryLogin(i, agent), CLIENTS);
    await load.last(1_000);
    samples.busy.push(await timeMe(token, agent));
    await load.stop();
    served.logins += load.finishedAt.length;
  }
  return { ...samples, ...served };
}

/** `me` during wrong logins for a few e-mails at a fixed rate. Only the first ones of each minute are tried. */
async function meBesideRefusals(token, agent) {
  const statuses = { 401: 0, 429: 0, 503: 0 };
  const seconds = ROUNDS * ME_SECONDS;
  const wrong = paced(WRONG_PER_MINUTE / 60, seconds, async (i) => {
    const { status } = await login(i % HAMMERED, 'another horse', agent);
    statuses[status] = (statuses[status] ?? 0) + 1;
  });
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push(await timeMe(token, agent));
  }
  await wrong;
  return { rounds, statuses };
}

/** Starts a gateway for one measurement. */
async function withGateway(settings, clients, measure) {
  const gateway = await startGateway(PORT, { BCRYPT_COST: String(COST), ...settings });
  const agent = new Agent({ keepAlive: true });
  const tokens = [];
  for (let i = 0; i < clients; i += 1) {
    tokens.push(await registerPatient(PORT, emailOf(i), PASSWORD));
  }
  await timeMe(tokens[0], agent);
  const result = await measure(tokens.at(-1), agent);
  agent.destroy();
  await gateway.stop();
  return result;
}

async function measureRates() {
  // Without limits: the 32 clients share one address but do not guess, and a login that gets a 503 must count.
  const { rates, logins } = await withGateway({ RATE_LIMIT: 'off' }, CLIENTS, async (token, agent) => ({
    rates: await compareRates(agent),
    logins: await meBesideLogins(token, agent),
  }));
  // The last account gets no wrong logins: its `me` is that of an honest caller.
  const refusals = await withGateway({}, HAMMERED + 1, meBesideRefusals);
  printRates({ rates, logins, refusals });
}

const spread = (values, digits) =>
  `${Math.min(...values).toFixed(digits)} - ${Math.max(...values).toFixed(digits)}`;
const verdict = (isReached) => (isReached ? 'reached' : 'MISSED');
/** Prints the rates of logins, and the times of `me`. */
function printRates({ rates, logins, refusals }) {
  const bareRate = median(rates.bare);
  // Round by round, because other load on the machine changes the yardstick, too.
  const shareOf = (values) => median(values.map((value, round) => value / rates.bare[round]));
  const millisOf = (samples) => samples.map(({ millis }) => millis);
  const idleP99 = quantile(millisOf(logins.idle.flat()), 0.99);

  function meRow(what, rounds, limitMillis) {
    const samples = rounds.flat();
    const p99 = quantile(millisOf(samples), 0.99);
    const late = samples.map((sample) => sample.late);
    return {
      what: `me ${what}: p50, p99`,
      value: `${median(millisOf(samples)).toFixed(1)}, ${p99.toFixed(1)} ms`,
      ratio: `${(p99 / idleP99).toFixed(1)}x idle`,
      'rounds from - to': spread(
        rounds.map((round) => quantile(millisOf(round), 0.99)),
        1,
      ),
      'sent late, p99': `${quantile(late, 0.99).toFixed(1)} ms`,
      limit: limitMillis ? `p99 < ${limitMillis} ms: ${verdict(p99 < limitMillis)}` : '',
    };
  }

  function loginRow(what, values, least) {
    const share = shareOf(values);
    return {
      what,
      value: `${median(values).toFixed(2)} /s`,
      ratio: `${(100 * share).toFixed(1)} % of bare`,
      'rounds from - to': spread(values, 2),
      limit: least ? `>= ${100 * least} %: ${verdict(share >= least)}` : '',
    };
  }

  console.table([
    {
      what: `bare bcrypt, cost ${COST}, ${SATURATING} callers`,
      value: `${bareRate.toFixed(2)} /s`,
      ratio: '',
      'rounds from - to': spread(rates.bare, 2),
      limit: '',
    },
    loginRow(`logins, ${SATURATING} clients, all served`, rates.gateway, 0.95),
    loginRow(`logins, ${CLIENTS} clients, most turned away`, rates.overloaded),
    meRow('idle', logins.idle),
    meRow(`beside ${CLIENTS} clients logging in`, logins.busy, 40),
    meRow(`beside ${WRONG_PER_MINUTE} wrong logins a minute`, refusals.rounds, 40),
  ]);
  const counts = Object.entries(refusals.statuses).map(([status, count]) => `${count} x ${status}`);
  console.log(`logins served beside me: ${logins.logins}; wrong logins: ${counts.join(', ')}`);
}

// As in production: behind a proxy that sends the address of the caller, with the default limits of logins.
const FLOODED = { TRUST_PROXY: '1', RATE_LIMIT_REGISTRATIONS_PER_MINUTE: 'off' };
console.table(await withGateway(FLOODED, 1, (_token, agent) => measureFloods(PORT, COST, agent)));
if (ROUNDS > 0) {
  await measureRates();
}
