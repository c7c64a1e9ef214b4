/*
 * npm run bench:timing [-- <samples> <cost>]: whether the time of a refused login depends on the stored account. The classes
 * come in random order on one connection. Each is compared with the unknown e-mail; a second class of unknown e-mails shows
 * the noise. A password typed in decomposed letters takes two comparisons, so its classes have a yardstick of their own.
 * Prints a table, and never fails a build.
 */
import { Agent } from 'node:http';
import { hash as hashArgon2 } from '@node-rs/argon2';
import bcrypt from 'bcrypt';
import { MongoClient } from 'mongodb';
import { postJson, registerPatient } from './support/http.js';
import { startDatabase, startGateway } from './support/server.js';
import { median, strictestT } from './support/statistics.js';

const [SAMPLES, COST] = [Number(process.argv[2] ?? 500), Number(process.argv[3] ?? 6)];
const WARM_UP = 30;
const PORT = 4960;
/** The limit of dudect: above it, two samples have different distributions. */
const T_LIMIT = 4.5;
const PASSWORD = 'correct horse';
/** As long as the right password. */
const WRONG_PASSWORD = 'another horse';
const WRONG_DECOMPOSED = 'anothe\u0301r horse';
const YARDSTICK = 'unknown e-mail';
const DECOMPOSED_YARDSTICK = 'decomposed: unknown e-mail';
/** About as long as bcrypt of cost 6. PHP's default (64 MiB, 4 passes) takes 0.1 s, and its noise would hide the rest. */
const ARGON2 = { memoryCost: 1024, timeCost: 2, parallelism: 1 };

const otherCost = (cost) => () => bcrypt.hash(PASSWORD, cost);
const phpHash = (cost) => async () => (await bcrypt.hash(PASSWORD, cost)).replace('$2b$', '$2y$');
/** @param algorithm 1 for argon2i, 2 for argon2id */
const argon2 = (algorithm) => () => hashArgon2(PASSWORD, { ...ARGON2, algorithm });
const digits = String(COST).padStart(2, '0');

/** The stored hash of each class, made from the hash of a registration; undefined for no account. */
const CLASSES = {
  [YARDSTICK]: undefined,
  'unknown e-mail, again': undefined,
  'wrong password': (hash) => hash,
  'second factor, wrong password': (hash) => hash,
  'hash of PHP ($2y$)': phpHash(COST),
  'hash of PHP ($2y$), lower cost (-2)': phpHash(COST - 2),
  'hash of PHP, argon2id': argon2(2),
  'hash of PHP, argon2i': argon2(1),
  'corrupt hash': (hash) => hash.slice(0, 40),
  'hash with an impossible cost': (hash) => hash.replace(`$${digits}$`, '$99$'),
  'hash with an impossible digit': (hash) => hash.replace(/.$/, '!'),
  'empty hash': () => '',
  'hash of a lower cost (-1)': otherCost(COST - 1),
  'hash of a lower cost (-2)': otherCost(COST - 2),
  'hash of a higher cost (+1)': otherCost(COST + 1),
  'hash of a higher cost (+2)': otherCost(COST + 2),
};
/** Disabled accounts, with the right password: the time must not show that it is right. */
const DISABLED = {
  'disabled, right password': (hash) => hash,
  'second factor, disabled, right password': (hash) => hash,
  'disabled, right password, lower cost (-2)': otherCost(COST - 2),
  'disabled, right password, argon2id': argon2(2),
};
/** Wrong passwords in decomposed letters. */
const DECOMPOSED = {
  [DECOMPOSED_YARDSTICK]: undefined,
  'decomposed: unknown e-mail, again': undefined,
  'decomposed: wrong password': (hash) => hash,
  'decomposed: hash of PHP ($2y$), lower cost (-2)': phpHash(COST - 2),
  'decomposed: hash of PHP, argon2id': argon2(2),
};
const STORED = { ...CLASSES, ...DISABLED, ...DECOMPOSED };
const NAMES = Object.keys(STORED);

/** All e-mails have the same length, so that the requests differ only in the account. */
const emailOf = (name) => `class-${String(NAMES.indexOf(name)).padStart(2, '0')}@timing.example`;

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';
const APIS = {
  REST: { path: '/api/v1/auth/login', body: (input) => input, refusal: /credentials/i },
  GraphQL: {
    path: '/graphql',
    body: (input) => ({ query: LOGIN, variables: { input } }),
    refusal: /credentials/i,
  },
};

/** Registers through the gateway, then writes the hashes of the classes directly into the database. */
async function seed(uri) {
  const client = await new MongoClient(uri).connect();
  const accounts = client.db('auth_gateway').collection('accounts');
  for (const name of NAMES.filter((each) => STORED[each])) {
    await registerPatient(PORT, emailOf(name), PASSWORD);
    const { _id, passwordHash } = await accounts.findOne({ emailKey: emailOf(name) });
    const disabledAt = name in DISABLED ? new Date() : null;
    const factors = name.startsWith('second factor')
      ? { factors: { app: 'an app', codes: 'its codes' } }
      : {};
    const set = { passwordHash: await STORED[name](passwordHash), disabledAt, ...factors };
    await accounts.updateOne({ _id }, { $set: set });
  }
  await client.close();
}

function shuffled(values) {
  const result = [...values];
  for (let i = result.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}

function passwordFor(name) {
  if (name in DISABLED) {
    return PASSWORD;
  }
  return name in DECOMPOSED ? WRONG_DECOMPOSED : WRONG_PASSWORD;
}

async function loginMillis(api, name, agent) {
  const input = { email: emailOf(name), password: passwordFor(name) };
  const startedAt = performance.now();
  const { text } = await postJson(PORT, api.path, api.body(input), { agent });
  const millis = performance.now() - startedAt;
  if (!api.refusal.test(text)) {
    throw new Error(`${name}: not refused as a wrong password: ${text}`);
  }
  return millis;
}

/** Each round has every class once, so that other load on the machine affects all alike. */
async function measure(api, agent) {
  const millis = Object.fromEntries(NAMES.map((name) => [name, []]));
  for (let round = -WARM_UP; round < SAMPLES; round += 1) {
    for (const name of shuffled(NAMES)) {
      const value = await loginMillis(api, name, agent);
      if (round >= 0) {
        millis[name].push(value);
      }
    }
  }
  return millis;
}

function rowOf(api, name, millis) {
  const yardstick = name in DECOMPOSED ? DECOMPOSED_YARDSTICK : YARDSTICK;
  const base = median(millis[yardstick]);
  const difference = median(millis[name]) - base;
  const t = strictestT(millis[name], millis[yardstick]);
  return {
    api,
    class: name,
    'median ms': median(millis[name]).toFixed(3),
    'difference ms': difference.toFixed(3),
    share: `${((100 * difference) / base).toFixed(1)} %`,
    "Welch's t": t.toFixed(1),
    verdict: name === yardstick ? '' : Math.abs(t) < T_LIMIT ? 'alike' : 'TOLD APART',
  };
}

const database = await startDatabase();
const settings = {
  MONGODB_URI: database.uri,
  RATE_LIMIT: 'off',
  BCRYPT_COST: String(COST),
  TWO_FACTOR_SECRET: 'a secret of the benchmark, which is long enough',
};
const gateway = await startGateway(PORT, settings);
await seed(database.uri);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const rows = [];
for (const [name, api] of Object.entries(APIS)) {
  const millis = await measure(api, agent);
  rows.push(...NAMES.map((each) => rowOf(name, each, millis)));
}
agent.destroy();
await gateway.stop();
await database.stop();

console.log(`cost ${COST}, ${SAMPLES} samples of each class, alike: |t| < ${T_LIMIT}`);
console.table(rows);
