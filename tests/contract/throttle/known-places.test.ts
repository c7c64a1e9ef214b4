import { jest } from '@jest/globals';
import mongoose from 'mongoose';
import { type Outcome } from '../../support/apis.ts';
import { authenticated, refused } from '../../support/expectations.ts';
import { comparable } from '../../support/http.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { TWO_FACTOR } from '../../support/second-factor.ts';
import { createTestApp, testClock, useTestApp } from '../../support/test-app.ts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
/** Failures of one e-mail in a minute: from one place, and from all. The hour allows twice as many, the day three times. */
const [PLACE, EMAIL] = [2, 3];
const MAX_PLACES = 8;
const SETTINGS = {
  RATE_LIMIT: 'on',
  // An account without a second factor costs no exchange more.
  ...TWO_FACTOR,
  RATE_LIMIT_LOGINS_PER_MINUTE: String(PLACE),
  RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE: String(EMAIL),
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: 'off',
  TRUST_PROXY: '1',
};

/** Lets seconds pass. */
const pass = (seconds: number) => testClock.move(seconds * 1000);
const app = useTestApp(SETTINGS);

let lastBlock = 0;
/** The first groups of an unused /48. */
function freshBlock(): string {
  lastBlock += 1;
  return `2001:db8:${lastBlock.toString(16)}`;
}
const freshAddress = (): string => `${freshBlock()}:1::1`;

/** Expects a 429 with this wait and this limit. */
function expectWait(outcome: Outcome, wait: { seconds: number; limit: number }) {
  const { http } = refused(outcome, 'too many attempts');
  expect(http.status).toBe(429);
  expect(http.headers.get('retry-after')).toBe(String(wait.seconds));
  expect(http.headers.get('x-ratelimit-limit')).toBe(String(wait.limit));
  expect(http.headers.get('x-ratelimit-remaining')).toBe('0');
  expect(http.headers.get('x-ratelimit-reset')).toBe(
    String(Math.floor(testClock.now() / 1000) + wait.seconds),
  );
}

/** The commands that the database gets, in order. */
async function questionsOf(act: () => Promise<unknown>): Promise<string[]> {
  const asked: string[] = [];
  const methods = ['find', 'updateOne', 'deleteOne', 'insertOne'] as const;
  const { prototype } = mongoose.mongo.Collection;
  const spies = methods.map((method) => {
    const original = prototype[method] as (...given: unknown[]) => unknown;
    return jest.spyOn(prototype, method).mockImplementation(function (
      this: mongoose.mongo.Collection,
      ...given: unknown[]
    ) {
      asked.push(`${method} ${this.collectionName}`);
      return original.apply(this, given);
    } as never);
  });
  try {
    await act();
    return asked;
  } finally {
    for (const spy of spies) {
      spy.mockRestore();
    }
  }
}

const apiAt = (address: string, url = app.url) => restApi(url, { 'X-Forwarded-For': address });

/** Guesses at an e-mail from an address until a guess is refused, and returns the refusal. */
async function guessUntilRefused(email: string, address: string): Promise<Outcome> {
  for (;;) {
    const outcome = await apiAt(address).login({ email, password: freshPassword() });
    if (!outcome.ok && outcome.kind === 'too many attempts') {
      return outcome;
    }
    refused(outcome, 'credentials');
  }
}

/** Uses up the limit of strangers for an e-mail, from three networks of a home line and from other networks. */
async function useUp(email: string, block = freshBlock()) {
  for (const network of ['a', 'b', 'c']) {
    await guessUntilRefused(email, `${block}:${network}::1`);
  }
  for (let times = 0; times < EMAIL; times += 1) {
    await guessUntilRefused(email, freshAddress());
  }
}

test('the waits at one place and their headers grow from a minute to an hour to a day', async () => {
  const [email, address] = [freshEmail(), freshAddress()];
  expectWait(await guessUntilRefused(email, address), { seconds: MINUTE, limit: PLACE });
  pass(MINUTE);
  expectWait(await guessUntilRefused(email, address), { seconds: HOUR - MINUTE, limit: 2 * PLACE });
  pass(HOUR - MINUTE);
  expectWait(await guessUntilRefused(email, address), { seconds: DAY - HOUR, limit: 3 * PLACE });
  pass(DAY - HOUR);
  expectWait(await guessUntilRefused(email, address), { seconds: MINUTE, limit: PLACE });
});

test('strangers cannot lock the owner out of a place where a login has succeeded, even behind the same address', async () => {
  const block = freshBlock();
  const patient = aPatient();
  authenticated(await apiAt(`${block}:1::1`).registerPatient(patient));
  for (const wait of [MINUTE, HOUR - MINUTE, 0]) {
    await useUp(patient.email, block);
    pass(wait);
  }
  authenticated(await apiAt(`${block}:1::2`).login(patient));
  const elsewhere = freshAddress();
  expectWait(await apiAt(elsewhere).login(patient), { seconds: DAY - HOUR, limit: 3 * EMAIL });

  pass(DAY - HOUR);
  authenticated(await apiAt(elsewhere).login(patient));
  await useUp(patient.email);
  authenticated(await apiAt(elsewhere).login(patient));
});

test('an imported account has no known place until its first login', async () => {
  const patient = aPatient();
  const [home, imported] = [freshAddress(), freshAddress()];
  const { account } = authenticated(await apiAt(imported).registerPatient(patient));
  await app.database.accounts.updateOne({ _id: account.id }, { $unset: { knownPlaces: 1 } });
  authenticated(await apiAt(home).login(patient));
  await useUp(patient.email);
  refused(await apiAt(imported).login(patient), 'too many attempts');
  authenticated(await apiAt(home).login(patient));
});

test('a known place has as many guesses as any other, and a failure does not make a place known', async () => {
  const patient = aPatient();
  const [home, attacker] = [freshAddress(), freshAddress()];
  authenticated(await apiAt(home).registerPatient(patient));
  await guessUntilRefused(patient.email, attacker);
  expectWait(await guessUntilRefused(patient.email, home), { seconds: MINUTE, limit: PLACE });
  refused(await apiAt(home).login(patient), 'too many attempts');
  await useUp(patient.email);
  pass(MINUTE);
  await useUp(patient.email);
  refused(await apiAt(attacker).login(patient), 'too many attempts');
  authenticated(await apiAt(home).login(patient));
});

test('all instances remember places, also after a restart', async () => {
  const patient = aPatient();
  const [home, office] = [freshAddress(), freshAddress()];
  authenticated(await apiAt(home).registerPatient(patient));
  const another = await createTestApp(SETTINGS, () => app.database.uri);
  try {
    authenticated(await apiAt(office, another.url).login(patient));
    await useUp(patient.email);
    authenticated(await apiAt(home, another.url).login(patient));
    authenticated(await apiAt(office).login(patient));
    refused(await apiAt(freshAddress(), another.url).login(patient), 'too many attempts');
  } finally {
    await another.stop();
  }
});

test('eight places are remembered, and the least recently used one is forgotten first', async () => {
  const patient = aPatient();
  const [home, first] = [freshAddress(), freshAddress()];
  const { account } = authenticated(await apiAt(home).registerPatient(patient));
  authenticated(await apiAt(first).login(patient));
  for (let journey = 0; journey < 2 * MAX_PLACES; journey += 1) {
    authenticated(await apiAt(freshAddress()).login(patient));
    authenticated(await apiAt(home).login(patient));
  }
  const stored = await app.database.accounts.findOne({ _id: account.id });
  expect(stored?.knownPlaces).toHaveLength(MAX_PLACES);
  expect(new Set(stored?.knownPlaces).size).toBe(MAX_PLACES);
  expect(JSON.stringify(stored)).not.toContain('2001:db8');
  await useUp(patient.email);
  authenticated(await apiAt(home).login(patient));
  refused(await apiAt(first).login(patient), 'too many attempts');
});

test('an ordinary login writes nothing to the account and needs few queries for the counts', async () => {
  const patient = aPatient();
  const home = freshAddress();
  authenticated(await apiAt(home).registerPatient(patient));
  // The first login remembers its device.
  authenticated(await apiAt(home).login(patient));
  expect(await questionsOf(() => apiAt(home).login(patient))).toEqual([
    'find accounts',
    'find attempt_counts',
    'insertOne attempt_counts',
    'find accounts',
    'deleteOne attempt_counts',
    // Of right logins, the second one.
    'updateOne attempt_counts',
    'insertOne access_tokens',
    // The password must not have been changed meanwhile.
    'find accounts',
  ]);
});

test('a stranger learns nothing about an account, neither from answers nor from the database queries', async () => {
  const patient = aPatient();
  authenticated(await apiAt(freshAddress()).registerPatient(patient));
  const observed: { questions: string[]; answers: unknown[] }[] = [];
  for (const email of [patient.email, freshEmail()]) {
    const [address, answers] = [freshAddress(), [] as unknown[]];
    const questions = await questionsOf(async () => {
      for (let times = 0; times <= PLACE; times += 1) {
        answers.push(comparable((await apiAt(address).login({ email, password: freshPassword() })).http));
      }
      await useUp(email);
      answers.push(
        comparable((await apiAt(freshAddress()).login({ email, password: freshPassword() })).http),
      );
    });
    observed.push({ questions, answers });
  }
  const [known, unknown] = observed;
  expect(known).toEqual(unknown);
  expect(known?.questions).toContain('updateOne attempt_counts');
});

test('the place of a doctor’s registration is a known place, too', async () => {
  const doctor = aDoctor();
  authenticated(await restApi(app.url).registerDoctor(doctor));
  const stored = await app.database.accounts.findOne({ email: doctor.email });
  expect(stored?.knownPlaces).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
});
