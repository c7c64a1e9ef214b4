import {
  DoctorsForReviewDocument,
  ExportMyDataDocument,
  MyTokensDocument,
} from '../../packages/client/dist/generated/graphql.js';
import { succeed, withConnections } from '../support/connection.js';
import { pdfOf, registrationRequest } from '../support/doctor-form.js';
import { limitsRow } from '../support/limits.js';
import { jsonRequest } from '../support/requests.js';
import { idOf, insertAll, openSeed } from '../support/seed.js';
import { startDatabase, startProduction, untilIdle } from '../support/server.js';
import { quantile } from '../support/statistics.js';
import { watchLoop } from '../support/watched-loop.js';

/** What one account has, and how many doctors wait for a review. */
const EVENTS = 1_000_000;
const TOKENS = 10_000;
const DOCTORS = 10_000;
/** The accounts, by their numbers. */
const [OWNER, REVIEWER, OPERATOR] = [0, 1, 2];
/** How often each request is sent before it is measured, and then. */
const WARM_UP = 20;
const SAMPLES = 200;
const MOST_ANSWER_MILLIS = 200;
const MOST_HELD_MILLIS = 50;
const LOOP_PORTS = { gateway: 4973, engine: 4974 };
/** Watching a loop takes processor time, too. */
const WATCHED_REST_MILLIS = 200;
const HOUR_MILLIS = 3_600_000;
const SETTINGS = {
  BCRYPT_COST: '4',
  TWO_FACTOR_SECRET: 'a secret that only the benchmark has',
  OPERATOR_API: 'on',
};

/** Registers a doctor, and makes copies who wait for a review, too. */
async function addDoctors({ database }, settings, count) {
  const gateway = await startProduction(settings);
  const email = 'doctor@bench.example';
  await withConnections(gateway.port, 1, ([connection]) =>
    succeed(connection, registrationRequest(email, pdfOf(1024))),
  );
  await gateway.stop();
  const [accounts, profiles] = [database.collection('accounts'), database.collection('doctor_profiles')];
  const account = await accounts.findOne({ emailKey: email });
  const profile = await profiles.findOne({ _id: account._id });
  const doctorId = (i) => idOf(OPERATOR + 1 + i);
  await insertAll(accounts, count, (i) => {
    const copy = `doctor-${i}@bench.example`;
    return { ...account, _id: doctorId(i), email: copy, emailKey: copy };
  });
  await insertAll(profiles, count, (i) => ({ ...profile, _id: doctorId(i) }));
}

/** A login or logout of the owner, one each second until now. The reviewer has caused some of them. */
const eventAt = (now) => (i) => ({
  at: new Date(now - i * 1000),
  act: i % 7 === 0 ? 'logout' : 'login',
  outcome: i % 10 === 0 ? 'failure' : 'success',
  accountId: idOf(OWNER),
  byAccountId: i % 20 === 0 ? idOf(REVIEWER) : null,
});

/** Fills a database. Returns the tokens of the owner, the reviewer and the operator, who has just used a second factor. */
async function fill(uri, share) {
  const settings = { ...SETTINGS, MONGODB_URI: uri };
  const seed = await openSeed(uri, settings);
  await seed.addAccounts(OPERATOR + 1);
  const tokens = await seed.addTokens(OPERATOR + 1, OPERATOR + 1);
  const { database } = seed;
  for (const [i, role] of [
    [REVIEWER, 'reviewer'],
    [OPERATOR, 'operator'],
  ]) {
    await database.collection('accounts').updateOne({ _id: idOf(i) }, { $set: { role } });
  }
  const proof = { amr: ['pwd', 'otp', 'mfa'], authTime: new Date() };
  await database.collection('access_tokens').updateOne({ accountId: idOf(OPERATOR) }, { $set: proof });
  await seed.addTokens(TOKENS * share, 1);
  await addDoctors(seed, settings, DOCTORS * share);
  await seed.addEvents(EVENTS * share, eventAt(Date.now()));
  await seed.close();
  return tokens;
}

const AUDIT_EVENTS = `query ($account: ID, $actor: ID, $act: AuditedAct, $outcome: AuditOutcome, $since: DateTime, $after: String) {
  auditEvents(first: 100, account: $account, actor: $actor, act: $act, outcome: $outcome, since: $since, after: $after) {
    nodes { id at act outcome reason account actor commandLineOperator channel ip userAgent count }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Conditions that many events meet, and some that none does. */
function searches() {
  const account = idOf(OWNER);
  const conditions = [
    ...[{}, { account }, { actor: idOf(REVIEWER) }, { act: 'LOGIN' }, { outcome: 'FAILURE' }],
    ...[
      { act: 'LOGIN', outcome: 'FAILURE' },
      { account, act: 'LOGOUT' },
      { account, actor: idOf(REVIEWER) },
    ],
    ...[{ outcome: 'UNKNOWN' }, { account, act: 'ERASURE' }],
  ];
  const since = new Date(Date.now() - HOUR_MILLIS).toISOString();
  const after = idOf(1000);
  return conditions.flatMap((search) => [search, { ...search, since }, { ...search, after }]);
}

/** The requests of each kind, which are sent in turn. */
function requestsOf(tokens) {
  const query = (document, token, variables = {}) =>
    jsonRequest('/graphql', { query: String(document), variables }, token);
  return {
    exportMyData: [query(ExportMyDataDocument, tokens[OWNER])],
    myTokens: [query(MyTokensDocument, tokens[OWNER])],
    reviews: ['PENDING', 'VERIFIED'].map((status) =>
      query(DoctorsForReviewDocument, tokens[REVIEWER], { status, first: 100 }),
    ),
    'audit searches': searches().map((variables) =>
      jsonRequest('/operators/graphql', { query: AUDIT_EVENTS, variables }, tokens[OPERATOR]),
    ),
  };
}

/** Sends requests one after another. Returns the milliseconds of each. */
async function timesOf(port, requests, count) {
  return withConnections(port, 1, async ([connection]) => {
    const times = [];
    for (let i = 0; i < count; i += 1) {
      const startedAt = performance.now();
      await succeed(connection, requests[i % requests.length]);
      times.push(performance.now() - startedAt);
    }
    return times;
  });
}

/** The p99 of each kind of request, and for how long a loop was held. */
async function measure(port, requests, loops) {
  for (const each of Object.values(requests)) {
    await timesOf(port, each, Math.max(WARM_UP, each.length));
  }
  for (const loop of loops) {
    await loop.longestBlock();
  }
  const figures = {};
  for (const [kind, each] of Object.entries(requests)) {
    const value = quantile(await timesOf(port, each, SAMPLES), 0.99);
    figures[`p99 of ${kind}, ms`] = { value, limit: MOST_ANSWER_MILLIS };
  }
  for (const { name, longestBlock } of loops) {
    const held = { value: await longestBlock(), limit: MOST_HELD_MILLIS };
    figures[`longest hold of the loop of the ${name}, ms`] = held;
  }
  return figures;
}

export const row = limitsRow({
  what: `an account with ${EVENTS.toLocaleString('en')} events and ${TOKENS.toLocaleString('en')} tokens, on the embedded database`,
  async open({ scale }) {
    const [gatewayLoop, engineLoop] = [watchLoop(LOOP_PORTS.gateway), watchLoop(LOOP_PORTS.engine)];
    const database = await startDatabase(undefined, engineLoop.settings);
    const tokens = await fill(database.uri, scale);
    const settings = { ...SETTINGS, ...gatewayLoop.settings, MONGODB_URI: database.uri };
    const gateway = await startProduction(settings);
    await untilIdle([database.pid, gateway.pid], WATCHED_REST_MILLIS);
    const loops = [
      { name: 'gateway', ...gatewayLoop },
      { name: 'engine', ...engineLoop },
    ];
    return {
      measure: () => measure(gateway.port, requestsOf(tokens), loops),
      close: () => gateway.stop().finally(database.stop),
    };
  },
});
