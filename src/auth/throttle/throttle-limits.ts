import { createHash } from 'node:crypto';
import type { WindowCounts } from '../../stores/attempts.ts';
import { TooManyAttemptsError } from '../../system/errors.ts';
import { type NetworkLevel, networksOf } from '../../system/networks.ts';
import {
  type AttemptCounter,
  type CreateCounter,
  type LimitCheck,
  longestOf,
  type ReachedLimit,
  type WindowLimits,
} from './attempt-counters.ts';

/*
 * The limits of attempts, for an account, an address and the networks around it, and how an attempt is counted by all of its
 * limits together.
 */

/** Attempts per minute; undefined means no limit. The hour and the day have multiples of these. */
export interface ThrottleLimits {
  /** Failed logins of one e-mail from one address. */
  loginsPerMinute: number | undefined;
  /** Failed logins from one address at all e-mails: an attacker who tries one password on many accounts. */
  addressLoginsPerMinute: number | undefined;
  /** Failed logins of one e-mail from all addresses: an attacker with many addresses. */
  emailLoginsPerMinute: number | undefined;
  /** Logins of one account with the right password. They are not limited by network: a hospital is one address. */
  rightLogins: WindowLimits | undefined;
  /** Changes of the e-mail that the owner of one account asks for. Each sends mails to two addresses. */
  emailChanges: WindowLimits | undefined;
  /** Wrong codes and recovery codes of one account, behind its right password. */
  codes: WindowLimits | undefined;
  /** Registrations from one address, and documents that one doctor submits again. */
  registrationsPerMinute: number | undefined;
  /** Wrong credentials of services from one address. */
  serviceFailuresPerMinute: number | undefined;
  /** Exports of the data of one account. Each reads thousands of records. */
  exportsPerMinute: number | undefined;
}

/** Limits of an account in the hour and the day, as multiples of the minute. docs/security/login-limits.md has the numbers. */
export const GUESS_MULTIPLES = { hour: 2, day: 3 };
/** Limits of an address and of a network in the hour and the day. Many people may share one, so they grow faster. */
const NETWORK_MULTIPLES = { hour: 5, day: 10 };
/**
 * Limits of the networks around an address, as multiples of its own. With the default of 100 failed logins in a minute
 * (config/caller-settings.ts), a network has 200 (IPv6 /56) or 1,000 (IPv6 /48, IPv4 /24); in the hour five and in the day ten times that.
 */
const NETWORK_SHARES: Record<NetworkLevel, number> = { block: 10, line: 2, address: 1 };
/** No person logs in so often. A program keeps its token. */
export const RIGHT_LOGINS: WindowLimits = { hour: 120, day: 1_000 };
export const EMAIL_CHANGES: WindowLimits = { day: 10 };
/** A million codes and three steps: 20 guesses a day find one in about 45 years. */
export const WRONG_CODES: WindowLimits = { hour: 10, day: 20 };

/** A counter, and the key that an attempt has there. */
export interface Count {
  counter: AttemptCounter;
  key: string;
}

/** What a counter says about a key before the attempt is counted. */
export interface CheckedCount extends Count {
  check: LimitCheck;
}

/** A key at which an attempt was counted. */
export interface Counted extends Count {
  counts: WindowCounts;
}

/** An attempt that stays counted unless it is given back. */
export interface CountedAct {
  /** Takes the attempt back, because it was no guess. If the database does not answer, it stays counted, for a day at most. */
  giveBack(): Promise<void>;
}

/**
 * Runs work whose attempt is counted before it, so that simultaneous ones cannot exceed the limit together.
 * @throws what `work` throws, after the attempt is given back; TooManyAttemptsError
 */
export async function during<T>(counting: Promise<CountedAct>, work: () => Promise<T>): Promise<T> {
  const counted = await counting;
  try {
    return await work();
  } catch (error) {
    await counted.giveBack();
    throw error;
  }
}

/** The counts of an attempt, without those that have no limit or no key. */
export const present = (
  counts: { counter: AttemptCounter | undefined; key: string | undefined }[],
): Count[] => counts.flatMap(({ counter, key }) => (counter && key !== undefined ? [{ counter, key }] : []));

/** The limits in all windows; undefined without one. */
export const limitsOf = (
  perMinute: number | undefined,
  multiples: WindowLimits = {},
): WindowLimits | undefined =>
  perMinute === undefined
    ? undefined
    : {
        minute: perMinute,
        ...Object.fromEntries(Object.entries(multiples).map(([name, times]) => [name, perMinute * times])),
      };

/**
 * Makes counters.
 * @returns a function that makes one counter; undefined for undefined limits
 */
export const counterMaker =
  (createCounter: CreateCounter) =>
  (name: string, limits: WindowLimits | undefined): AttemptCounter | undefined =>
    limits && createCounter(name, limits);

/**
 * Makes counters of all networks around an address.
 * @param create as {@link counterMaker} returns it
 * @param perMinute of one address; wider networks have their shares. Undefined means no limit
 * @param nameOf the name of the counter of a level
 * @returns a function that returns the counts of an address
 */
export function networkCounts(
  create: ReturnType<typeof counterMaker>,
  perMinute: number | undefined,
  nameOf: (level: NetworkLevel) => string,
): (ip: string) => Count[] {
  const counterOf = (level: NetworkLevel) =>
    create(nameOf(level), limitsOf(perMinute && perMinute * NETWORK_SHARES[level], NETWORK_MULTIPLES));
  const counters = { block: counterOf('block'), line: counterOf('line'), address: counterOf('address') };
  return (ip) => present(networksOf(ip).map(({ level, key }) => ({ counter: counters[level], key })));
}

/** All keys have the same length, and no e-mail is stored in clear outside the accounts. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

/** The key of a person at a place, or with a password: it begins with the digest of the person, so that all of them can be found. */
export const keyOf = (person: string, ...more: (string | null)[]): string =>
  `${digest(person)}/${digest([...more, person].join('\n'))}`;

/** Checks whether an attempt is within the limits. Nothing is counted yet. */
export const checkAll = (counts: Count[]): Promise<CheckedCount[]> =>
  Promise.all(counts.map(async (count) => ({ ...count, check: await count.counter.check(count.key) })));

/**
 * Counts an attempt everywhere, or nowhere if it is refused: a refused attempt has guessed nothing.
 * @param stages are counted one after the other; the counts of one stage at once
 * @throws TooManyAttemptsError with the longest wait
 */
export async function countStages(stages: CheckedCount[][]): Promise<Counted[]> {
  refuseFull(stages.flat());
  const counted: Counted[] = [];
  const countOne = async ({ counter, key, check }: CheckedCount): Promise<ReachedLimit | undefined> => {
    const outcome = await check.count();
    if (outcome.refusal) {
      return outcome.refusal;
    }
    counted.push({ counter, key, counts: outcome.counts });
    return undefined;
  };
  try {
    for (const stage of stages) {
      refuse(await Promise.all(stage.map(countOne)));
    }
  } catch (error) {
    await giveBack(counted).catch(() => {});
    throw error;
  }
  return counted;
}

/**
 * Counts an attempt in one stage.
 * @throws TooManyAttemptsError
 */
export async function countOnce(counts: Count[]): Promise<CountedAct> {
  const counted = await countStages([await checkAll(counts)]);
  return {
    giveBack: async () => {
      await giveBack(counted).catch(() => {});
    },
  };
}

/** @throws TooManyAttemptsError if one of the keys has reached its limit */
export const refuseFull = (checked: CheckedCount[]): void =>
  refuse(checked.map(({ check }) => check.refusal));

function refuse(refusals: (ReachedLimit | undefined)[]): void {
  const longest = longestOf(refusals.flatMap((refusal) => refusal ?? []));
  if (longest) {
    throw new TooManyAttemptsError(longest.retryAfterSeconds, longest);
  }
}

/** Takes an attempt back. */
export const giveBack = (counted: Counted[]) =>
  Promise.all(counted.map(({ counter, key, counts }) => counter.giveBack(key, counts)));
