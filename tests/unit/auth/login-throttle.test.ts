import type { Connection } from 'mongoose';
import mongoose from 'mongoose';
import { ActThrottle } from '../../../src/auth/throttle/act-throttle.ts';
import { type CreateCounter, countInDatabase } from '../../../src/auth/throttle/attempt-counters.ts';
import { type LoginAttempt, LoginThrottle } from '../../../src/auth/throttle/login-throttle.ts';
import type { ThrottleLimits } from '../../../src/auth/throttle/throttle-limits.ts';
import { type AttemptCount, AttemptStore } from '../../../src/stores/attempts.ts';
import { createIndexes } from '../../../src/stores/indexes.ts';
import { InvalidCredentialsError, TooManyAttemptsError } from '../../../src/system/errors.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { freshEmail } from '../../support/people.ts';
import { someAtATime } from '../../support/some-at-a-time.ts';

const UNLIMITED: ThrottleLimits = {
  loginsPerMinute: undefined,
  addressLoginsPerMinute: undefined,
  emailLoginsPerMinute: undefined,
  rightLogins: undefined,
  emailChanges: undefined,
  codes: undefined,
  registrationsPerMinute: undefined,
  serviceFailuresPerMinute: undefined,
  exportsPerMinute: undefined,
};

let database: TestDatabase;
let connection: Connection;

beforeAll(async () => {
  database = await openTestDatabase();
  connection = await mongoose.createConnection(database.uri).asPromise();
  await createIndexes(connection);
});

afterAll(async () => {
  await connection.close();
  await database.drop();
});

const wrong = () => Promise.reject(new InvalidCredentialsError());
const right = () => Promise.resolve('in');

/** Tries a login, and reports its outcome to the throttle. */
async function login<T>(throttle: LoginThrottle, attempt: LoginAttempt, tryIt: () => Promise<T>): Promise<T> {
  const counted = await throttle.countLogin(attempt);
  try {
    const result = await tryIt();
    await counted.succeeded();
    return result;
  } catch (error) {
    await counted.failed(error);
    throw error;
  }
}

let lastNetwork = 0;
/** An address in a network that no other test uses. */
function freshIp(): string {
  lastNetwork += 1;
  return `10.${lastNetwork >> 8}.${lastNetwork & 255}.1`;
}

/** The first groups of a /48 that no other test uses. */
function freshIpv6Block(): string {
  lastNetwork += 1;
  return `2001:db8:${lastNetwork.toString(16)}`;
}

const hex = (number: number): string => number.toString(16);

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

// At the time of the machine: the database removes counts whose windows have ended.
const clock = new ManualClock(new Date());
/** Lets seconds pass. */
const pass = (seconds: number) => void clock.advance(seconds * 1000);

/** No place is known unless a test says so. */
const knownPlaces = new Set<string>();
const placeOf = ({ email, ip }: LoginAttempt) => `${email} ${ip}`;
const isKnownPlace = async (attempt: LoginAttempt) => knownPlaces.has(placeOf(attempt));

/** Fails until the throttle refuses. Returns the number of failures and the refusal. */
async function failUntilRefused(throttle: LoginThrottle, attempt: LoginAttempt) {
  for (let failures = 0; ; failures += 1) {
    const error = await login(throttle, attempt, wrong).catch((thrown: unknown) => thrown);
    if (error instanceof TooManyAttemptsError) {
      const { retryAfterSeconds, headers } = error;
      return { failures, retryAfterSeconds, limit: Number(headers?.['X-RateLimit-Limit']) };
    }
    expect(error).toBeInstanceOf(InvalidCredentialsError);
  }
}

/** Fails and waits for `Retry-After` in turn for a number of seconds. Returns the number of failures. */
async function failFor(seconds: number, throttle: LoginThrottle, next: () => LoginAttempt) {
  let [failures, passed] = [0, 0];
  while (passed < seconds) {
    const round = await failUntilRefused(throttle, next());
    failures += round.failures;
    passed += round.retryAfterSeconds;
    pass(round.retryAfterSeconds);
  }
  return failures;
}

/** Counters, as another instance has them. */
const counters = (): CreateCounter => countInDatabase(new AttemptStore({ connection }), clock);

describe('limits', () => {
  const throttleWith = (limits: Partial<ThrottleLimits>) =>
    new LoginThrottle({ ...UNLIMITED, ...limits }, counters(), isKnownPlace);

  test('an attempt that is given back after its minute does not raise the limit of the next one', async () => {
    const throttle = throttleWith({ addressLoginsPerMinute: 2 });
    const attempt = { email: freshEmail(), ip: freshIp() };
    const endMinute = async () => pass(MINUTE);
    const goneTooLate = () => endMinute().then(() => Promise.reject(new Error('gone')));
    const rightTooLate = () => endMinute().then(() => 'in');
    await expect(login(throttle, attempt, goneTooLate)).rejects.toThrow('gone');
    await expect(login(throttle, attempt, rightTooLate)).resolves.toBe('in');
    expect(await failUntilRefused(throttle, attempt)).toMatchObject({ failures: 2, limit: 2 });
  });

  test('by the default limits, an attacker with any number of addresses has 90 guesses a day at an account', async () => {
    const throttle = throttleWith({
      loginsPerMinute: 10,
      addressLoginsPerMinute: 100,
      emailLoginsPerMinute: 30,
    });
    const email = freshEmail();
    let failures = 0;
    for (let address = 0; address < 20; address += 1) {
      failures += (await failUntilRefused(throttle, { email, ip: freshIp() })).failures;
    }
    expect(failures).toBe(30);
    failures += await failFor(DAY - 1, throttle, () => ({ email, ip: freshIp() }));
    expect(failures).toBe(90);
    expect(await failUntilRefused(throttle, { email, ip: freshIp() })).toMatchObject({ failures: 10 });
  });

  test('by the default limits, an address has 1,000 attempts a day, and only other networks have more', async () => {
    const throttle = throttleWith({ addressLoginsPerMinute: 10 });
    const tryFrom = (ip: string) => failFor(DAY - 1, throttle, () => ({ email: freshEmail(), ip }));
    expect(await tryFrom(freshIp())).toBe(100);
    expect(await tryFrom(`${freshIpv6Block()}:0::/64`)).toBe(100);
  });

  test.each([
    { name: 'a /56', times: 2, networkOf: (block: string, n: number) => `${block}:ab${hex(n)}::/64` },
    { name: 'a /48', times: 10, networkOf: (block: string, n: number) => `${block}:${hex(n)}00::/64` },
    { name: 'a /24', times: 10, networkOf: (_: string, n: number) => `198.51.100.${n}` },
  ])(
    '$name has $times times the attempts of an address, from all of its addresses together',
    async ({ times, networkOf }) => {
      const throttle = throttleWith({ addressLoginsPerMinute: 2 });
      const block = freshIpv6Block();
      let failures = 0;
      for (let n = 0x10; n < 0x30; n += 1) {
        failures += (await failUntilRefused(throttle, { email: freshEmail(), ip: networkOf(block, n) }))
          .failures;
      }
      expect(failures).toBe(2 * times);
      await expect(login(throttle, { email: freshEmail(), ip: freshIp() }, right)).resolves.toBe('in');
      pass(DAY);
    },
  );

  test('a site with an IPv6 /48 has as many guesses at an e-mail as one address, and leaves two thirds to the owner', async () => {
    const throttle = throttleWith({ loginsPerMinute: 10, emailLoginsPerMinute: 30 });
    const [email, block] = [freshEmail(), freshIpv6Block()];
    let failures = 0;
    for (const network of ['1', '2', 'ff', '100', 'ffff']) {
      failures += (await failUntilRefused(throttle, { email, ip: `${block}:${network}::/64` })).failures;
    }
    expect(failures).toBe(10);
    await expect(login(throttle, { email, ip: freshIp() }, right)).resolves.toBe('in');
  });

  test('strangers do not hold up the owner where a login has succeeded before, in the same /56 or elsewhere', async () => {
    const throttle = throttleWith({
      loginsPerMinute: 10,
      addressLoginsPerMinute: 5,
      emailLoginsPerMinute: 3,
    });
    const [email, block] = [freshEmail(), freshIpv6Block()];
    const home = { email, ip: `${block}:1::/64` };
    knownPlaces.add(placeOf(home));
    for (const ip of [`${block}:2::/64`, `${block}:3::/64`, freshIp(), freshIp()]) {
      await failUntilRefused(throttle, { email, ip });
    }
    for (const _ of Array(9)) {
      await login(throttle, { email: freshEmail(), ip: home.ip }, wrong).catch(() => {});
    }
    await expect(login(throttle, { email, ip: freshIp() }, right)).rejects.toThrow(TooManyAttemptsError);
    await expect(login(throttle, { email: freshEmail(), ip: home.ip }, right)).rejects.toThrow(
      TooManyAttemptsError,
    );
    await expect(login(throttle, home, right)).resolves.toBe('in');
  });

  test('without a limit for each place, a known place counts like any other', async () => {
    const throttle = throttleWith({ emailLoginsPerMinute: 2 });
    const home = { email: freshEmail(), ip: freshIp() };
    knownPlaces.add(placeOf(home));
    expect(await failUntilRefused(throttle, home)).toMatchObject({ failures: 2 });
  });

  test.each([
    ['a minute', MINUTE],
    ['an hour', HOUR],
    ['a day', DAY],
    ['a year', 365 * DAY],
  ])('a clock that is set back by %s locks no account for longer than a day', async (_, seconds) => {
    const throttle = throttleWith({ loginsPerMinute: 1 });
    const attempt = { email: freshEmail(), ip: freshIp() };
    pass(366 * DAY);
    for (const wait of [MINUTE, HOUR - MINUTE, 0]) {
      await expect(login(throttle, attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
      pass(wait);
    }
    const before = await failUntilRefused(throttle, attempt);
    expect(before).toMatchObject({ failures: 0, limit: 3 });
    pass(-seconds);
    const after = await failUntilRefused(throttle, attempt);
    expect(after.retryAfterSeconds).toBeLessThanOrEqual(Math.min(before.retryAfterSeconds + seconds, DAY));
  });

  test('no single stranger locks an owner out: a refused attempt does not count', async () => {
    const throttle = throttleWith({ loginsPerMinute: 2, emailLoginsPerMinute: 4, addressLoginsPerMinute: 4 });
    const email = freshEmail();
    const stranger = { email, ip: freshIp() };
    for (let times = 0; times < 10; times += 1) {
      await login(throttle, stranger, wrong).catch(() => {});
    }
    await expect(login(throttle, { email, ip: freshIp() }, right)).resolves.toBe('in');
    // The stranger does not lock out other users of the same address either.
    await expect(login(throttle, { email: freshEmail(), ip: stranger.ip }, right)).resolves.toBe('in');
  });

  test('a success makes the failures of the pair forgotten, and only those', async () => {
    const throttle = throttleWith({ loginsPerMinute: 2, addressLoginsPerMinute: 3 });
    const attempt = { email: freshEmail(), ip: freshIp() };
    await expect(login(throttle, attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
    await expect(login(throttle, attempt, right)).resolves.toBe('in');
    await expect(login(throttle, attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
    await expect(login(throttle, attempt, wrong)).rejects.toThrow(InvalidCredentialsError);
    // Otherwise an attacker could use an own account to get unlimited guesses at others.
    const other = { email: freshEmail(), ip: attempt.ip };
    await expect(login(throttle, other, right)).rejects.toThrow(TooManyAttemptsError);
  });

  /** How many of the acts are admitted. Several run at a time, which changes no limit. */
  async function admitted(count: number, act: (index: number) => Promise<unknown>): Promise<number> {
    let passed = 0;
    await someAtATime([...Array(count).keys()], (index) =>
      act(index).then(
        () => {
          passed += 1;
        },
        (error) => expect(error).toBeInstanceOf(TooManyAttemptsError),
      ),
    );
    return passed;
  }

  describe.each<[string, (throttle: ActThrottle, ip: string) => Promise<void>]>([
    ['registrations', (throttle, ip) => throttle.beforeRegistration(ip)],
    ['resubmissions', (throttle, ip) => throttle.beforeReviewed('resubmissions', freshEmail(), ip)],
    ['wrong secrets of services', (throttle, ip) => throttle.countServiceFailure(ip)],
  ])('%s', (what, act) => {
    const limit =
      what === 'wrong secrets of services' ? 'serviceFailuresPerMinute' : 'registrationsPerMinute';
    const throttleOf = () => new ActThrottle({ ...UNLIMITED, [limit]: 6 }, counters());

    test('one IPv4 address has its limit each minute, five times as many an hour and ten times a day', async () => {
      const throttle = throttleOf();
      const ip = freshIp();
      const perMinute: number[] = [];
      for (let minute = 0; minute < 6; minute += 1) {
        perMinute.push(await admitted(7, () => act(throttle, ip)));
        pass(MINUTE);
      }
      expect(perMinute).toEqual([6, 6, 6, 6, 6, 0]);
      pass(HOUR);
      for (let minute = 0; minute < 5; minute += 1) {
        expect(await admitted(6, () => act(throttle, ip))).toBe(6);
        pass(MINUTE);
      }
      pass(HOUR);
      expect(await admitted(1, () => act(throttle, ip))).toBe(0);
      pass(DAY);
      expect(await admitted(1, () => act(throttle, ip))).toBe(1);
    });

    test('150 /64 of a /56 have twice the limit together, and a neighbour has its own', async () => {
      const throttle = throttleOf();
      const block = freshIpv6Block();
      expect(await admitted(150, (index) => act(throttle, `${block}:${hex(index)}::/64`))).toBe(12);
      await act(throttle, `${block}:100::/64`);
      await act(throttle, freshIp());
    });
  });

  describe('right logins', () => {
    const rightLogins = { hour: 12, day: 100 };

    test('an account has its limits of an hour and of a day from all unknown places together', async () => {
      const throttle = throttleWith({ rightLogins, loginsPerMinute: 10 });
      const email = freshEmail();
      const tryIn = () => login(throttle, { email, ip: freshIp() }, right);
      const perHour: number[] = [];
      for (let hour = 0; hour < 9; hour += 1) {
        perHour.push(await admitted(13, tryIn));
        pass(HOUR);
      }
      expect(perHour).toEqual([...Array(8).fill(12), 4]);
      pass(DAY);
      await expect(tryIn()).resolves.toBe('in');
    });

    test('each known place has a count of its own, and a new password forgets all of them', async () => {
      const throttle = throttleWith({ rightLogins: { hour: 2 } });
      const email = freshEmail();
      const [home, work] = [freshIp(), freshIp()];
      for (const ip of [home, work]) {
        knownPlaces.add(placeOf({ email, ip }));
      }
      const countsFrom = async () => [
        await admitted(5, () => login(throttle, { email, ip: freshIp() }, right)),
        await admitted(5, () => login(throttle, { email, ip: home }, right)),
        await admitted(5, () => login(throttle, { email, ip: work }, right)),
      ];
      expect(await countsFrom()).toEqual([2, 2, 2]);
      expect(await countsFrom()).toEqual([0, 0, 0]);
      await throttle.afterNewPassword({ email, ip: freshIp() });
      expect(await countsFrom()).toEqual([2, 2, 2]);
    });

    test('simultaneous ones do not slip past the limit together', async () => {
      const throttle = throttleWith({ rightLogins });
      const email = freshEmail();
      const logins = Array.from({ length: 40 }, () =>
        login(throttle, { email, ip: freshIp() }, right).catch((error: unknown) => error),
      );
      const outcomes = await Promise.all(logins);
      expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(12);
      expect(outcomes.filter((outcome) => outcome instanceof TooManyAttemptsError)).toHaveLength(28);
    });

    test('an account that has used them up is refused before its password is compared', async () => {
      const throttle = throttleWith({ rightLogins: { hour: 1 } });
      const attempt = { email: freshEmail(), ip: freshIp() };
      await login(throttle, attempt, right);
      await expect(throttle.countLogin(attempt)).rejects.toThrow(TooManyAttemptsError);
    });

    test('wrong guesses, other accounts and checks of an own password do not count', async () => {
      const throttle = throttleWith({ rightLogins: { hour: 1 } });
      const email = freshEmail();
      const ip = freshIp();
      expect(
        await admitted(5, () =>
          login(throttle, { email, ip }, wrong).catch((error) => {
            expect(error).toBeInstanceOf(InvalidCredentialsError);
          }),
        ),
      ).toBe(5);
      await (await throttle.countOwnPassword({ email, ip })).succeeded();
      await expect(login(throttle, { email, ip }, right)).resolves.toBe('in');
      await (await throttle.countOwnPassword({ email, ip })).succeeded();
      await expect(login(throttle, { email: freshEmail(), ip }, right)).resolves.toBe('in');
    });
  });
});

test('a refused attempt is not counted anywhere, not even for a moment', async () => {
  const counted: string[] = [];
  const createCounter: CreateCounter = (name, limits) => {
    const counter = counters()(name, limits);
    return {
      check: async (key) => {
        const check = await counter.check(key);
        const count = () => {
          counted.push(name);
          return check.count();
        };
        return { ...check, count };
      },
      giveBack: (...attempt) => counter.giveBack(...attempt),
      forget: (key) => counter.forget(key),
      forgetAll: (person) => counter.forgetAll(person),
    };
  };
  const limits = { ...UNLIMITED, loginsPerMinute: 1, addressLoginsPerMinute: 1, emailLoginsPerMinute: 1 };
  const throttle = new LoginThrottle(limits, createCounter, isKnownPlace);
  const ip = freshIp();
  await failUntilRefused(throttle, { email: freshEmail(), ip });
  counted.length = 0;
  await expect(login(throttle, { email: freshEmail(), ip }, wrong)).rejects.toThrow(TooManyAttemptsError);
  expect(counted).toEqual([]);
});

test('counts in the database have no e-mail, but the time when the database removes them', async () => {
  const counts = database.db.collection('attempt_counts');
  const email = freshEmail();
  const limits = { ...UNLIMITED, emailLoginsPerMinute: 1 };
  const throttle = new LoginThrottle(limits, counters(), isKnownPlace);
  await expect(login(throttle, { email, ip: freshIp() }, wrong)).rejects.toThrow(InvalidCredentialsError);
  expect(JSON.stringify(await counts.find().toArray())).not.toContain(email);
  const indexes = await counts.indexes();
  expect(indexes).toContainEqual(expect.objectContaining({ key: { key: 1 }, unique: true }));
  expect(indexes).toContainEqual(expect.objectContaining({ key: { expire: 1 }, expireAfterSeconds: 0 }));
});

test('an attempt that is given back leaves nothing in the database', async () => {
  const counts = database.db.collection<AttemptCount>('attempt_counts');
  await counts.deleteMany({});
  const limits = { ...UNLIMITED, loginsPerMinute: 1, addressLoginsPerMinute: 1, emailLoginsPerMinute: 1 };
  const throttle = new LoginThrottle(limits, counters(), isKnownPlace);
  const overloaded = () => Promise.reject(new Error('the queue is full'));
  const attempt = { email: freshEmail(), ip: freshIp() };
  await expect(login(throttle, attempt, overloaded)).rejects.toThrow('the queue is full');
  const left = await counts.find().toArray();
  expect(left.filter(({ expire }) => expire.getTime() > clock.now())).toEqual([]);
});
