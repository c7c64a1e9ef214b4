import mongoose, { type Connection } from 'mongoose';
import {
  type AttemptCounter,
  type CreateCounter,
  countInDatabase,
  countInMemory,
} from '../../src/auth/attempt-counters.ts';
import { LoginThrottle, type ThrottleLimits } from '../../src/auth/login-throttle.ts';
import { InvalidCredentialsError, TooManyAttemptsError } from '../../src/errors.ts';
import { attemptCountModel } from '../../src/models/attempt-count.model.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { freshEmail } from '../support/people.ts';

const UNLIMITED: ThrottleLimits = {
  loginsPerMinute: undefined,
  addressLoginsPerMinute: undefined,
  emailLoginsPerMinute: undefined,
  registrationsPerMinute: undefined,
};

let database: TestDatabase;
let connection: Connection;

beforeAll(async () => {
  database = await openTestDatabase();
  connection = await mongoose.createConnection(database.uri).asPromise();
  await attemptCountModel(connection).createIndexes();
});

afterAll(async () => {
  await connection.close();
  await database.drop();
});

const wrong = () => Promise.reject(new InvalidCredentialsError());
const right = () => Promise.resolve('in');

let lastAddress = 0;
/** An address that no other test has come from. */
function freshIp(): string {
  lastAddress += 1;
  return `192.0.2.${lastAddress}`;
}

describe.each<{ where: string; counters: () => CreateCounter }>([
  { where: 'in memory', counters: () => countInMemory },
  { where: 'in the database', counters: () => countInDatabase(connection) },
])('counted $where', ({ counters }) => {
  const throttleWith = (limits: Partial<ThrottleLimits>) =>
    new LoginThrottle({ ...UNLIMITED, ...limits }, counters());

  test('without limits nothing is refused', async () => {
    const throttle = throttleWith({});
    const attempt = { email: freshEmail(), ip: freshIp() };
    for (let times = 0; times < 20; times += 1) {
      await expect(throttle.login(attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
      await throttle.beforeRegistration(attempt.ip);
    }
  });

  test('a refusal says what the limit is and when to come back', async () => {
    const throttle = throttleWith({ loginsPerMinute: 1 });
    const attempt = { email: freshEmail(), ip: freshIp() };
    await expect(throttle.login(attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
    const refusal = await throttle.login(attempt, right).catch((error: unknown) => error);
    if (!(refusal instanceof TooManyAttemptsError)) throw refusal;
    expect(refusal.headers).toMatchObject({ 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0' });
    expect(refusal.retryAfterSeconds).toBeGreaterThan(50);
    expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  test('what is given back when its minute is over adds nothing to the next one', async () => {
    const made: AttemptCounter[] = [];
    const createCounter: CreateCounter = (...settings) => {
      const counter = counters()(...settings);
      made.push(counter);
      return counter;
    };
    const throttle = new LoginThrottle({ ...UNLIMITED, addressLoginsPerMinute: 2 }, createCounter);
    const attempt = { email: freshEmail(), ip: freshIp() };
    const endMinute = () => Promise.all(made.map((counter) => counter.delete(attempt.ip)));
    const goneTooLate = () => endMinute().then(() => Promise.reject(new Error('gone')));
    const rightTooLate = () => endMinute().then(() => 'in');
    await expect(throttle.login(attempt, goneTooLate)).rejects.toThrow('gone');
    await expect(throttle.login(attempt, rightTooLate)).resolves.toBe('in');
    await expect(throttle.login(attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
    await expect(throttle.login(attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
    await expect(throttle.login(attempt, wrong)).rejects.toThrow(TooManyAttemptsError);
  });

  test('one address has so many failures, whatever the e-mails', async () => {
    const throttle = throttleWith({ addressLoginsPerMinute: 3 });
    const ip = freshIp();
    for (const email of [freshEmail(), freshEmail(), freshEmail()]) {
      await expect(throttle.login({ email, ip }, wrong)).rejects.toThrow(InvalidCredentialsError);
    }
    await expect(throttle.login({ email: freshEmail(), ip }, right)).rejects.toThrow(TooManyAttemptsError);
    await expect(throttle.login({ email: freshEmail(), ip: freshIp() }, right)).resolves.toBe('in');
  });

  test('one e-mail has so many failures, whatever the addresses', async () => {
    const throttle = throttleWith({ emailLoginsPerMinute: 3 });
    const email = freshEmail();
    for (const ip of [freshIp(), freshIp(), freshIp()]) {
      await expect(throttle.login({ email, ip }, wrong)).rejects.toThrow(InvalidCredentialsError);
    }
    const upper = { email: email.toUpperCase(), ip: freshIp() };
    await expect(throttle.login(upper, right)).rejects.toThrow(TooManyAttemptsError);
  });

  test('no single stranger locks somebody out: what is refused does not count', async () => {
    const throttle = throttleWith({ loginsPerMinute: 2, emailLoginsPerMinute: 4, addressLoginsPerMinute: 4 });
    const email = freshEmail();
    const stranger = { email, ip: freshIp() };
    for (let times = 0; times < 10; times += 1) await throttle.login(stranger, wrong).catch(() => {});
    await expect(throttle.login({ email, ip: freshIp() }, right)).resolves.toBe('in');
    // Nor does he lock out those who share his address.
    await expect(throttle.login({ email: freshEmail(), ip: stranger.ip }, right)).resolves.toBe('in');
  });

  test('a success makes the failures of the pair forgotten, and only those', async () => {
    const throttle = throttleWith({ loginsPerMinute: 2, addressLoginsPerMinute: 3 });
    const attempt = { email: freshEmail(), ip: freshIp() };
    await expect(throttle.login(attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
    await expect(throttle.login(attempt, right)).resolves.toBe('in');
    await expect(throttle.login(attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
    await expect(throttle.login(attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
    // Otherwise an account of one's own would buy as many guesses at others as one likes.
    const other = { email: freshEmail(), ip: attempt.ip };
    await expect(throttle.login(other, right)).rejects.toThrow(TooManyAttemptsError);
  });

  test('successes are no failures, however many', async () => {
    const throttle = throttleWith({ loginsPerMinute: 2, addressLoginsPerMinute: 2, emailLoginsPerMinute: 2 });
    const attempt = { email: freshEmail(), ip: freshIp() };
    for (let times = 0; times < 6; times += 1) {
      await expect(throttle.login(attempt, right)).resolves.toBe('in');
    }
  });

  test('what went wrong for another reason was no guess', async () => {
    const throttle = throttleWith({ loginsPerMinute: 2, addressLoginsPerMinute: 2, emailLoginsPerMinute: 2 });
    const attempt = { email: freshEmail(), ip: freshIp() };
    const overloaded = () => Promise.reject(new Error('the queue is full'));
    for (let times = 0; times < 6; times += 1) {
      await expect(throttle.login(attempt, overloaded)).rejects.toThrow('the queue is full');
    }
    await expect(throttle.login(attempt, right)).resolves.toBe('in');
  });

  test('simultaneous guesses do not slip past a limit together', async () => {
    const throttle = throttleWith({ emailLoginsPerMinute: 5 });
    const email = freshEmail();
    const guesses = Array.from({ length: 30 }, () =>
      throttle.login({ email, ip: freshIp() }, wrong).catch((error: unknown) => error),
    );
    const tried = (await Promise.all(guesses)).filter((error) => error instanceof InvalidCredentialsError);
    expect(tried).toHaveLength(5);
  });

  test('registrations are counted by address', async () => {
    const throttle = throttleWith({ registrationsPerMinute: 2 });
    const ip = freshIp();
    await throttle.beforeRegistration(ip);
    await throttle.beforeRegistration(ip);
    await expect(throttle.beforeRegistration(ip)).rejects.toThrow(TooManyAttemptsError);
    await throttle.beforeRegistration(freshIp());
  });
});

test('counts in memory are forgotten, the longest unused first, before they fill it', async () => {
  const counter = countInMemory('test', 1);
  await counter.consume('first');
  await counter.consume('second');
  await expect(counter.consume('first')).rejects.toBeDefined();
  for (let key = 0; key < 19_999; key += 1) await counter.consume(String(key));
  await expect(counter.consume('first')).rejects.toBeDefined();
  await expect(counter.consume('second')).resolves.toBeDefined();
});

test('attempts that were none push no counts out of memory', async () => {
  const throttle = new LoginThrottle({ ...UNLIMITED, loginsPerMinute: 1 }, countInMemory);
  const attempt = { email: freshEmail(), ip: freshIp() };
  await expect(throttle.login(attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
  const overloaded = () => Promise.reject(new Error('the queue is full'));
  for (let other = 0; other < 20_001; other += 1) {
    await throttle.login({ email: `${other}@example.org`, ip: attempt.ip }, overloaded).catch(() => {});
  }
  await expect(throttle.login(attempt, wrong)).rejects.toThrow(TooManyAttemptsError);
});

test('counts in the database hold no e-mail, and tell it when they are over', async () => {
  const counts = database.db.collection('attempt_counts');
  const email = freshEmail();
  const throttle = new LoginThrottle({ ...UNLIMITED, emailLoginsPerMinute: 1 }, countInDatabase(connection));
  await expect(throttle.login({ email, ip: freshIp() }, wrong)).rejects.toThrow(InvalidCredentialsError);
  expect(JSON.stringify(await counts.find().toArray())).not.toContain(email);
  const indexes = await counts.indexes();
  expect(indexes).toContainEqual(expect.objectContaining({ key: { key: 1 }, unique: true }));
  expect(indexes).toContainEqual(expect.objectContaining({ key: { expire: 1 }, expireAfterSeconds: 0 }));
});
