import type { WindowCounts } from '../../models/attempt-count.model.ts';
import type { AttemptCounter, CreateCounter, Look, Taken } from './attempt-counters.ts';
import { currentCounts, type Refusal, refusalOf, type WindowLimits, windowsOf } from './attempt-windows.ts';

/** Counts in this process, for the embedded database, which has only one process. */
export const countInMemory: CreateCounter = (_name, limits) => new MemoryCounter(limits);

/**
 * Keys of one counter, 16 MB. Only an attempt that was tried keeps its count, and each costs a password hash. To push out
 * the count of another key, an attacker must keep this machine hashing for hours (50,000 times 0.2 s of a core).
 */
const MAX_KEYS = 50_000;

/** Forgets the least recently used key first, so that its memory is bounded. */
class MemoryCounter implements AttemptCounter {
  /** The least recently used key first. */
  readonly #counts = new Map<string, WindowCounts>();

  constructor(private readonly limits: WindowLimits) {}

  async look(key: string): Promise<Look> {
    return { refusal: this.#look(key).refusal, take: async () => this.#take(key) };
  }

  /** A key without attempts is forgotten: attempts that were given back must not push out those that count. */
  async giveBack(key: string, counts: WindowCounts): Promise<void> {
    const kept = this.#counts.get(key);
    if (!kept) return;
    for (const name of windowsOf(this.limits)) {
      const count = kept[name];
      if (count && count.endsMillis === counts[name]?.endsMillis) count.points -= 1;
    }
    if (Object.values(kept).every(({ points }) => points <= 0)) this.#counts.delete(key);
  }

  async forget(key: string): Promise<void> {
    this.#counts.delete(key);
  }

  #take(key: string): Taken {
    const { counts, refusal } = this.#look(key);
    if (refusal) return { refusal };
    for (const count of Object.values(counts)) count.points += 1;
    this.#keep(key, counts);
    return { counts };
  }

  /** A refused key counts as used, so it stays. */
  #look(key: string): { counts: WindowCounts; refusal: Refusal | undefined } {
    const nowMillis = Date.now();
    const counts = currentCounts(this.#counts.get(key), this.limits, nowMillis);
    const refusal = refusalOf(counts, this.limits, nowMillis);
    if (refusal) this.#keep(key, counts);
    return { counts, refusal };
  }

  #keep(key: string, counts: WindowCounts): void {
    this.#counts.delete(key);
    this.#counts.set(key, counts);
    if (this.#counts.size <= MAX_KEYS) return;
    const [longestUnused = key] = this.#counts.keys();
    this.#counts.delete(longestUnused);
  }
}
