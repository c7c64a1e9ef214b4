import { createHash } from 'node:crypto';
import type { WindowCounts } from '../../stores/attempts.ts';
import { TooManyAttemptsError } from '../../system/errors.ts';
import { type NetworkLevel, networksOf } from '../../system/networks.ts';
import type { AttemptCounter, CreateCounter, Look } from './attempt-counters.ts';
import { longestOf, type Refusal, type WindowLimits } from './attempt-windows.ts';
import { NETWORK, SHARES } from './throttle-limits.ts';

/** A counter, and the key that an attempt has there. */
export interface Count {
  counter: AttemptCounter;
  key: string;
}

/** What a counter says about a key before the attempt is counted. */
export interface Looked extends Count {
  look: Look;
}

/** A key at which an attempt was counted. */
export interface Counted extends Count {
  counts: WindowCounts;
}

/** An attempt that stays counted unless it is given back. */
export interface CountedAct {
  /** Takes the attempt back, because it was no guess. If the database is away, it stays counted, for a day at most. */
  giveBack(): Promise<void>;
}

/** The counts of an attempt, without those that have no limit or no key. */
export const present = (
  counts: { counter: AttemptCounter | undefined; key: string | undefined }[],
): Count[] => counts.flatMap(({ counter, key }) => (counter && key !== undefined ? [{ counter, key }] : []));

/**
 * Makes counters.
 * @returns a function that makes one counter; undefined for an undefined limit
 */
export const counterMaker =
  (createCounter: CreateCounter) =>
  (name: string, perMinute: number | undefined, growth: WindowLimits = {}, share = 1) =>
    perMinute === undefined ? undefined : createCounter(name, grown(perMinute * share, growth));

const grown = (perMinute: number, growth: WindowLimits): WindowLimits => ({
  minute: perMinute,
  ...Object.fromEntries(Object.entries(growth).map(([name, times]) => [name, perMinute * times])),
});

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
  const counterOf = (level: NetworkLevel) => create(nameOf(level), perMinute, NETWORK, SHARES[level]);
  const counters = { block: counterOf('block'), line: counterOf('line'), address: counterOf('address') };
  return (ip) => present(networksOf(ip).map(({ level, key }) => ({ counter: counters[level], key })));
}

/** All keys have the same length, and no e-mail is stored in clear outside the accounts. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

/** Looks whether there is room for an attempt. Nothing is counted yet. */
export const lookAll = (counts: Count[]): Promise<Looked[]> =>
  Promise.all(counts.map(async (count) => ({ ...count, look: await count.counter.look(count.key) })));

/**
 * Counts an attempt everywhere, or nowhere if it is refused: a refused attempt has guessed nothing.
 * @param stages are counted one after the other; the counts of one stage at once
 * @throws TooManyAttemptsError with the longest wait
 */
export async function countStages(stages: Looked[][]): Promise<Counted[]> {
  refuseFull(stages.flat());
  const counted: Counted[] = [];
  const countOne = async ({ counter, key, look }: Looked): Promise<Refusal | undefined> => {
    const taken = await look.take();
    if (taken.refusal) {
      return taken.refusal;
    }
    counted.push({ counter, key, counts: taken.counts });
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
  const counted = await countStages([await lookAll(counts)]);
  return {
    giveBack: async () => {
      await giveBack(counted).catch(() => {});
    },
  };
}

/** @throws TooManyAttemptsError if one of the keys has no room */
export const refuseFull = (looked: Looked[]): void => refuse(looked.map(({ look }) => look.refusal));

function refuse(refusals: (Refusal | undefined)[]): void {
  const longest = longestOf(refusals.flatMap((refusal) => refusal ?? []));
  if (longest) {
    throw new TooManyAttemptsError(longest.retryAfterSeconds, longest);
  }
}

/** Takes an attempt back. */
export const giveBack = (counted: Counted[]) =>
  Promise.all(counted.map(({ counter, key, counts }) => counter.giveBack(key, counts)));
