/*
 * npm run bench:timing-reset [-- <samples>]: whether the time of an answer about a forgotten password depends on the account.
 * Requests for a link: every known e-mail is that of another account and gets its mail, from a mail server on loopback. Resets:
 * tokens that are not valid, for different reasons. Changes of the e-mail: to one that another account has, and to one that none has. The classes come in random order on one connection, and each is compared
 * with the first of its kind; a second class of unknown ones shows the noise. Then the arrival of one's own mail, asked for after a
 * link for somebody else, with a mail server that takes its time. Prints a table, and never fails a build.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { MongoClient } from 'mongodb';
import { SMTPServer } from 'smtp-server';
import { postJson, registerPatient } from './support/http.js';
import { startDatabase, startGateway } from './support/server.js';
import { median, strictestT } from './support/statistics.js';

const SAMPLES = Number(process.argv[2] ?? 400);
const WARM_UP = 30;
const PORT = 4961;
const T_LIMIT = 3;
const PASSWORD = 'correct horse';
const HOUR_MILLIS = 3_600_000;

const REQUESTS = ['unknown e-mail', 'unknown e-mail, again', 'known e-mail'];
const CHANGES = ['free e-mail', 'free e-mail, again', 'taken e-mail'];
const RESETS = ['unknown token', 'unknown token, again', 'expired token', 'used token'];
const known = (round) => `known-${String(round + WARM_UP).padStart(4, '0')}@timing.example`;
const digestOf = (token) => createHash('sha256').update(token).digest('hex');
const aToken = () => randomBytes(32).toString('base64url');

const LINK = 'mutation ($email: String!) { requestPasswordReset(email: $email) { message } }';
const CHANGE = 'mutation ($input: ChangeEmailInput!) { changeEmail(input: $input) { message } }';
const RESET = 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) { message } }';
const APIS = {
  REST: {
    link: (email) => ['/api/v1/auth/forgot-password', { email }],
    reset: (token) => ['/api/v1/auth/reset-password', { token, password: PASSWORD }],
    change: (email) => ['/api/v1/auth/user/email', { email, password: PASSWORD }, { method: 'PUT' }],
  },
  GraphQL: {
    link: (email) => ['/graphql', { query: LINK, variables: { email } }],
    change: (email) => ['/graphql', { query: CHANGE, variables: { input: { email, password: PASSWORD } } }],
    reset: (token) => ['/graphql', { query: RESET, variables: { input: { token, newPassword: PASSWORD } } }],
  },
};

/** How long the mail server takes for a mail: more than a real one, so that few samples show a difference. */
const SLOW_MILLIS = 300;
/** Each takes two accounts of its own for each class. */
const ARRIVALS = Math.min(60, Math.floor(SAMPLES / 6));
/** Between the beginnings of two pairs, so that pairs do not wait for each other at the mail server. */
const PAIR_MILLIS = 700;

async function startMailServer() {
  const onData = (stream, { envelope }, done) => {
    arrived.get(envelope.rcptTo[0].address)?.();
    stream.on('end', () => setTimeout(done, isSlow ? SLOW_MILLIS : 0)).resume();
  };
  const server = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'], onData });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return { url: `smtp://127.0.0.1:${server.server.address().port}`, stop: () => server.close() };
}

/** Stores a token of each kind for one account. The used one is used by the gateway itself. */
async function makeTokens(uri) {
  const client = await new MongoClient(uri).connect();
  const db = client.db('auth_gateway');
  const { _id: accountId, email } = await db.collection('accounts').findOne({ emailKey: known(-1) });
  const [expired, used] = [aToken(), aToken()];
  const bound = { accountId, emailDigest: digestOf(email), passwordChangeId: null };
  const soon = new Date(Date.now() + HOUR_MILLIS);
  await db.collection('reset_tokens').insertOne({ _id: digestOf(used), ...bound, expiresAt: soon });
  await postJson(PORT, ...APIS.REST.reset(used));
  // Without the index, the database would remove it.
  await db.collection('reset_tokens').dropIndex('expiresAt_1');
  await db.collection('reset_tokens').insertOne({ _id: digestOf(expired), ...bound, expiresAt: new Date(0) });
  await client.close();
  return { expired, used };
}

const shuffled = (values) =>
  values
    .map((value) => ({ value, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);

/** @param send sends the request of a class in a round */
async function measure(names, agent, send) {
  const millis = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -WARM_UP; round < SAMPLES; round += 1) {
    for (const name of shuffled(names)) {
      const [path, body, options] = send(name, round);
      const startedAt = performance.now();
      const { text } = await postJson(PORT, path, body, { agent, ...options });
      const value = performance.now() - startedAt;
      if (!/emailed (your|a verif)|verification-link-sent|token is invalid/.test(text)) {
        throw new Error(`${name}: ${text}`);
      }
      if (round >= 0) {
        millis[name].push(value);
      }
    }
  }
  return millis;
}

const rowsOf = (api, names, millis) =>
  names.map((name) => {
    const t = strictestT(millis[name], millis[names[0]]);
    return {
      api,
      class: name,
      'median ms': median(millis[name]).toFixed(3),
      'difference ms': (median(millis[name]) - median(millis[names[0]])).toFixed(3),
      "Welch's t": t.toFixed(1),
      verdict: name === names[0] ? '' : Math.abs(t) < T_LIMIT ? 'alike' : 'TOLD APART',
    };
  });

/** How long one's own mail takes after a request for somebody else's. */
async function measureArrivals(agent) {
  isSlow = true;
  const link = (email) => postJson(PORT, ...APIS.REST.link(email), { agent });
  const millis = Object.fromEntries(REQUESTS.map((name) => [name, []]));
  const pair = async (name, round) => {
    const own = known(round);
    const other = name === 'known e-mail' ? known(round + 1) : `nobod-${round}@timing.example`;
    const arrival = new Promise((resolve) => arrived.set(own, resolve));
    await link(other);
    const startedAt = performance.now();
    await link(own);
    await arrival;
    millis[name].push(performance.now() - startedAt);
  };
  const pairs = [];
  for (let sample = 0; sample < ARRIVALS; sample += 1) {
    for (const name of shuffled(REQUESTS)) {
      pairs.push(pair(name, 2 * pairs.length));
      await new Promise((resolve) => setTimeout(resolve, PAIR_MILLIS));
    }
  }
  await Promise.all(pairs);
  return millis;
}

const arrived = new Map();
let isSlow = false;
const [database, mails] = [await startDatabase(), await startMailServer()];
const gateway = await startGateway(PORT, {
  MONGODB_URI: database.uri,
  RATE_LIMIT: 'off',
  BCRYPT_COST: '4',
  SMTP_URL: mails.url,
  MAIL_FROM: 'clinic@timing.example',
  PASSWORD_RESET_URL: 'https://app.timing.example/reset#{token}',
  EMAIL_VERIFICATION_URL: 'https://app.timing.example/confirm#{token}',
});
for (let round = -WARM_UP; round < SAMPLES; round += 1) {
  await registerPatient(PORT, known(round), PASSWORD);
}
const tokens = await makeTokens(database.uri);
const owner = await registerPatient(PORT, 'owner@timing.example', PASSWORD);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const rows = [];
for (const [name, api] of Object.entries(APIS)) {
  const unknown = () => `nobod-${randomBytes(2).toString('hex')}@timing.example`;
  const email = (kind, round) => (kind === 'known e-mail' ? known(round) : unknown());
  const requests = await measure(REQUESTS, agent, (kind, round) => api.link(email(kind, round)));
  rows.push(...rowsOf(name, REQUESTS, requests));
  const asked = (kind, round) => (kind === 'taken e-mail' ? known(round) : unknown());
  const changes = await measure(CHANGES, agent, (kind, round) => {
    const [path, body, options] = api.change(asked(kind, round));
    return [path, body, { ...options, token: owner }];
  });
  rows.push(...rowsOf(name, CHANGES, changes));
  const token = (kind) => ({ 'expired token': tokens.expired, 'used token': tokens.used })[kind] ?? aToken();
  const resets = await measure(RESETS, agent, (kind) => api.reset(token(kind)));
  rows.push(...rowsOf(name, RESETS, resets));
  // The next API asks for the same e-mails again.
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}
rows.push(...rowsOf('arrival', REQUESTS, await measureArrivals(agent)));
agent.destroy();
await gateway.stop();
await database.stop();
mails.stop();

console.log(`${SAMPLES} samples of each class, alike: |t| < ${T_LIMIT}`);
console.table(rows);
