import { once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import bcrypt from 'bcrypt';
import { postJson, registerPatient } from './http.js';
import { keepGoing } from './load.js';
import { median } from './statistics.js';

const PASSWORD = 'correct horse';
/** Where the owner of an account lives, and where that account has never logged in. */
const [HOME, NEW_PLACE] = ['198.51.100.1', '203.0.113.1'];
/** Somebody with many accounts. */
const FLOODER = '192.0.2.99';
/** The one address of a hospital. */
const WARD = '192.0.2.1';
const WARD_LOGINS = 100;
/** Less than the limit of one account in a minute, known place or not. */
const OWNER_LOGINS = 8;
const OWNER_PAUSE_MILLIS = 500;

const counted = (outcomes) =>
  [...new Set(outcomes.map(({ status }) => status))]
    .sort()
    .map((one) => `${outcomes.filter(({ status }) => status === one).length} x ${one}`)
    .join(', ');

/**
 * Floods of logins, and what others notice of them: with the default limits, behind a proxy that sends the caller's address.
 * @returns the rows of a table
 */
export async function measureFloods(port, cost, agent) {
  const login = async (email, from, signal) => {
    const startedAt = performance.now();
    const credentials = { email, password: PASSWORD };
    const sent = postJson(port, '/api/v1/auth/login', credentials, { agent, from, signal });
    const { status } = signal ? await sent.catch(() => ({ status: 'cut off' })) : await sent;
    return { status, millis: performance.now() - startedAt };
  };
  let guesses = 0;
  const guess = (from, signal) => {
    guesses += 1;
    return login(`nobody-${guesses}@isolation.example`, from, signal);
  };
  const register = async (name, count, from) => {
    const emails = Array.from({ length: count }, (_, i) => `${name}-${i}@isolation.example`);
    for (let i = 0; i < count; i += 2) {
      const some = emails.slice(i, i + 2);
      await Promise.all(some.map((email) => registerPatient(port, email, PASSWORD, { agent, from })));
    }
    return emails;
  };
  const ownersAt = async (emails, from) => {
    const outcomes = [];
    for (const email of emails) {
      const pause = sleep(OWNER_PAUSE_MILLIS);
      outcomes.push(await login(email, from));
      await pause;
    }
    return outcomes;
  };

  const homes = await register('home', OWNER_LOGINS, HOME);
  const idle = await ownersAt(homes, HOME);
  const idleMillis = median(idle.map(({ millis }) => millis));
  const row = (what, outcomes, limit = '') => {
    const times = outcomes.map(({ millis }) => millis);
    return {
      what,
      answers: counted(outcomes),
      'median ms': Math.round(median(times)),
      'last ms': Math.round(Math.max(...times)),
      ratio: `${(median(times) / idleMillis).toFixed(1)}x idle`,
      limit,
    };
  };
  /** Owners at home, and accounts with as many new places, while a flood runs. */
  const beside = async (what, flood) => {
    const strangers = await register(`moved ${what}`.replaceAll(/\W/g, '-'), OWNER_LOGINS, HOME);
    const ended = new AbortController();
    setMaxListeners(0, ended.signal);
    const sent = flood(ended.signal);
    await sleep(OWNER_PAUSE_MILLIS);
    const [known, strange] = await Promise.all([ownersAt(homes, HOME), ownersAt(strangers, NEW_PLACE)]);
    ended.abort();
    return [
      row(`${what}: others, from known places`, known),
      row(`${what}: others, from new places`, strange),
      row(`${what}: the flood itself`, await sent),
    ];
  };
  /** So many clients from networks of their own, each with its next guess at once. */
  const strangersFlood = (clients) => async (signal) => {
    const sent = [];
    const load = keepGoing(async (i) => void sent.push(await guess(`10.0.${i}.1`, signal)), clients);
    await once(signal, 'abort');
    await load.stop();
    return sent;
  };

  const rows = [row('logins on an idle gateway', idle)];
  rows.push(...(await beside('32 strangers in 32 networks', strangersFlood(32))));
  const ofLine = Array.from({ length: 150 }, (_, i) => `2001:db8:1:${i.toString(16)}::1`);
  const guessAll = (signal) => Promise.all(ofLine.map((from) => guess(from, signal)));
  rows.push(...(await beside('150 /64 of a /56', guessAll)));
  const own = await register('own', 120, FLOODER);
  const logins = Array.from({ length: 10 }, () => own).flat();
  const logInAll = (signal) => Promise.all(logins.map((email) => login(email, FLOODER, signal)));
  rows.push(...(await beside('120 accounts x 10 logins', logInAll)));

  const hash = await bcrypt.hash(PASSWORD, cost);
  const ward = await register('ward', WARD_LOGINS, WARD);
  const all = (send) => Promise.all(ward.map(send));
  const bareAt = performance.now();
  await all(() => bcrypt.compare(PASSWORD, hash));
  const bareMillis = performance.now() - bareAt;
  const known = await all((email) => login(email, WARD));
  const last = Math.max(...known.map(({ millis }) => millis));
  const isReached = known.every(({ status }) => status === 200) && last <= bareMillis + 1000;
  const limit = `all 200, last <= bare + 1 s: ${isReached ? 'reached' : 'MISSED'}`;
  rows.push(
    { what: `${WARD_LOGINS} bare hashes at once`, 'last ms': Math.round(bareMillis) },
    row(`${WARD_LOGINS} logins at once, one known place`, known, limit),
    row(
      '50 logins at once, one new place',
      await Promise.all(ward.slice(0, 50).map((email) => login(email, NEW_PLACE))),
    ),
  );
  return rows;
}
