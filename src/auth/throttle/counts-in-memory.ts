import { LRUCache } from 'lru-cache';
import type { WindowCounts } from '../../stores/attempts.ts';
import type { Clock } from '../../system/clock.ts';
import {
  type AttemptCounter,
  type Check,
  type CreateCounter,
  currentCounts,
  type Outcome,
  type Refusal,
  refusalOf,
  type WindowLimits,
  windowsOf,
} from './attempt-counters.ts';

/**
 * Keys of one counter, 16 MB. Only an attempt that was admitted keeps its count, and the widest network of its sender bounds
 * those: by default a /24 or a /48 has at most 10,000 a day (throttle-limits.ts). So one network, with however many addresses,
 * never pushes out the count of another key. Several networks need five whole days' limits at once, and for failed logins 50,000
 * password hashes.
 */
const MAX_KEYS = 50_000;

/**
 * Counts in this process, for the embedded database, which has only one process.
 * @param maxKeys of each counter
 */
export const countInMemory =
  (clock: Clock, maxKeys = MAX_KEYS): CreateCounter =>
  (_name, limits) =>
    new MemoryCounter(limits, clock, maxKeys);

/** Forgets the least recently used key first, so that its memory is bounded. */
class MemoryCounter implements AttemptCounter {
  /** By size, because a cache with a maximum number of entries takes the memory for all of them at once. */
  readonly #counts: LRUCache<string, WindowCounts>;

  constructor(
    private readonly limits: WindowLimits,
    private readonly clock: Clock,
    maxKeys: number,
  ) {
    this.#counts = new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 });
  }

  async check(key: string): Promise<Check> {
    return { refusal: this.#current(key).refusal, count: async () => this.#count(key) };
  }

  /** A key without attempts is forgotten: attempts that were given back must not push out those that count. */
  async giveBack(key: string, counts: WindowCounts): Promise<void> {
    const kept = this.#counts.peek(key);
    if (!kept) {
      return;
    }
    for (const name of windowsOf(this.limits)) {
      const count = kept[name];
      if (count && count.endsMillis === counts[name]?.endsMillis) {
        count.points -= 1;
      }
    }
    if (Object.values(kept).every(({ points }) => points <= 0)) {
      this.#counts.delete(key);
    }
  }

  async forget(key: string): Promise<void> {
    this.#counts.delete(key);
  }

  #count(key: string): Outcome {
    const { counts, refusal } = this.#current(key);
    if (refusal) {
      return { refusal };
    }
    for (const count of Object.values(counts)) {
      count.points += 1;
    }
    this.#counts.set(key, counts);
    return { counts };
  }

  #current(key: string): { counts: WindowCounts; refusal: Refusal | undefined } {
    const nowMillis = this.clock.now();
    const counts = currentCounts(this.#counts.peek(key), this.limits, nowMillis);
    const refusal = refusalOf(counts, this.limits, nowMillis);
    // A refused key counts as used, so it stays.
    if (refusal) {
      this.#counts.set(key, counts);
    }
    return { counts, refusal };
  }
}
