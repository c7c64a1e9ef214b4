import { createHmac } from 'node:crypto';
import { HASH_QUEUE_LIMITS } from '../../../src/auth/passwords/hash-queue.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { Outcome } from '../../support/apis.ts';
import { addAttempts } from '../../support/attempts.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused } from '../../support/expectations.ts';
import { closeHashGate, type HashGate } from '../../support/hash-gate.ts';
import { hashQueueOf } from '../../support/hash-queue.ts';
import { freshEmail, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { aStoredPerson } from '../../support/second-factor.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

/** Fewer than in production, so that the test needs fewer connections. */
const MAX_WAITING = 150;
/** The limits of logins are those of production. */
const CONCURRENCY = readConfig({ UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE ?? '' }).hashConcurrency;
const app = useTestApp(
  {
    METRICS: 'on',
    METRICS_PORT: '0',
    TRUST_PROXY: '1',
    RATE_LIMIT: 'on',
  },
  undefined,
  { hashQueueLimits: { ...HASH_QUEUE_LIMITS, maxWaiting: MAX_WAITING } },
);

type Patient = Awaited<ReturnType<typeof aStoredPerson>>;

const apiAt = (address: string) => restApi(app.url, { 'X-Forwarded-For': address });

/** Patients whose accounts know an address, as if they had registered there. */
async function patientsOf(ip: string, count: number): Promise<Patient[]> {
  const secret = await app.database.db
    .collection<{ _id: string; value: string }>('secrets')
    .findOne({ _id: 'known-places' });
  const key = Buffer.from(String(secret?.value), 'base64url');
  const patientOf = async () => {
    const patient = await aStoredPerson(app.database);
    const place = createHmac('sha256', key).update(`${patient.email}\n${ip}`).digest('base64url');
    await app.database.accounts.updateOne({ _id: patient.id }, { $set: { knownPlaces: [place] } });
    return patient;
  };
  return Promise.all(Array.from({ length: count }, patientOf));
}

const guess = (address: string) => apiAt(address).login({ email: freshEmail(), password: freshPassword() });

let gate: HashGate | undefined;
afterEach(() => gate?.open());

/** Logins that wait while no hash can run, and their answers in the order in which they came. */
function waitingLogins() {
  gate = closeHashGate();
  const answers: { name: string; outcome: Outcome }[] = [];
  const all: Promise<unknown>[] = [];
  let waiting = 0;
  /** @param waits how many logins wait in all from then on */
  const send = async (name: string, logins: (() => Promise<Outcome>)[], waits = waiting + logins.length) => {
    all.push(...logins.map(async (login) => answers.push({ name, outcome: await login() })));
    waiting = waits;
    await eventually(async () => {
      const queue = await hashQueueOf(app);
      expect(queue.running + queue.waiting).toBe(waits);
    });
  };
  const of = (name: string) => answers.filter((one) => one.name === name);
  /** Waits for the answers to one login of each name. */
  const expectAuthenticated = (...names: string[]) =>
    eventually(() => {
      for (const name of names) {
        authenticated(of(name)[0]?.outcome as Outcome);
      }
    });
  return { answers, send, ended: () => Promise.all(all), of, expectAuthenticated };
}

test('100 right logins from one place that their accounts know wait as long as it takes', async () => {
  const patients = await patientsOf('192.0.2.1', 100);
  const { answers, send, ended } = waitingLogins();
  await send(
    'ward',
    patients.map((patient) => () => apiAt('192.0.2.1').login(patient)),
  );
  await testClock.advance(100_000);
  expect(answers).toEqual([]);
  gate?.open();
  await ended();
  expect(answers).toHaveLength(100);
  for (const { outcome } of answers) {
    authenticated(outcome);
  }
});

test('50 right logins from one new place wait for up to 10 s, and longer ones get 503', async () => {
  const patients = await patientsOf('192.0.2.2', 50);
  const { answers, send, ended } = waitingLogins();
  await send(
    'new place',
    patients.map((patient) => () => apiAt('192.0.3.2').login(patient)),
  );
  await testClock.advance(9_999);
  expect(answers).toEqual([]);
  await testClock.advance(1);
  await eventually(async () => expect((await hashQueueOf(app)).waiting).toBe(0));
  gate?.open();
  await ended();
  const late = answers.filter(({ outcome }) => outcome.http.status !== 200);
  expect(late).toHaveLength(50 - CONCURRENCY);
  for (const { outcome } of late) {
    const { http } = refused(outcome, 'unavailable');
    expect(http.headers.get('retry-after')).toBe('2');
  }
});

test('150 logins from as many /64 of a /56 do not hold up the login of somebody at another place', async () => {
  const [atHome, moved] = (await patientsOf('198.51.100.1', 2)) as [Patient, Patient];
  const { answers, send, ended, expectAuthenticated } = waitingLogins();
  const line = Array.from({ length: MAX_WAITING }, (_, index) => `2001:db8:1:${index.toString(16)}::1`);
  await send(
    'flood',
    line.map((address) => () => guess(address)),
  );
  await send('home', [() => apiAt('198.51.100.1').login(atHome)]);
  await send('new place', [() => apiAt('203.0.113.1').login(moved)]);
  // The order of the hashes counts, and not that of the answers: a right login waits longer for the database than a wrong one.
  gate?.letThrough(MAX_WAITING / 2);
  await expectAuthenticated('home', 'new place');
  gate?.open();
  await ended();
  expect(answers).toHaveLength(MAX_WAITING + 2);
});

test('somebody with many accounts loses places to others, who do not wait behind them', async () => {
  const [atHome, moved] = (await patientsOf('198.51.100.2', 2)) as [Patient, Patient];
  const own = await patientsOf('192.0.2.99', 32);
  const { answers, send, ended, of, expectAuthenticated } = waitingLogins();
  const logins = own.flatMap((account) =>
    Array.from({ length: 10 }, () => () => apiAt('192.0.2.99').login(account)),
  );
  // Some come before strangers, and those beyond the turns of the address after them.
  const places = CONCURRENCY + 2 * MAX_WAITING;
  await send('flood', logins, places);
  const expectRefused = (count: number) => eventually(async () => expect(of('flood')).toHaveLength(count));
  await expectRefused(logins.length - places);
  await send('home', [() => apiAt('198.51.100.2').login(atHome)], places);
  await expectRefused(logins.length - places + 1);
  await send('new place', [() => apiAt('203.0.113.2').login(moved)], places + 1);
  for (const { outcome } of of('flood')) {
    refused(outcome, 'unavailable');
  }
  gate?.letThrough(places / 2);
  await expectAuthenticated('home', 'new place');
  gate?.open();
  await ended();
  const served = answers.filter(({ outcome }) => outcome.http.status === 200);
  expect(served).toHaveLength(CONCURRENCY + 2 * MAX_WAITING + 1);
});

test('right logins of one account are limited to 120 an hour, and those of its neighbours are not', async () => {
  const [account, neighbour] = (await patientsOf('192.0.2.5', 2)) as [Patient, Patient];
  const login = (patient: Patient) => apiAt('192.0.2.5').login(patient);
  authenticated(await login(account));
  await addAttempts(app, 'right-logins', 118);
  authenticated(await login(account));
  const { http } = refused(await login(account), 'too many attempts');
  expect([http.status, http.headers.get('x-ratelimit-limit')]).toEqual([429, '120']);
  expect(http.headers.get('retry-after')).toBe('3600');
  authenticated(await login(neighbour));
  await testClock.advance(3_600_000);
  authenticated(await login(account));
});
