import type { WindowCounts } from '../models/attempt-count.model.ts';
import type { AttemptCounter, CreateCounter, Look, Taken } from './attempt-counters.ts';
import { currentCounts, type Refusal, refusalOf, type WindowLimits, windowsOf } from './attempt-windows.ts';

/** Counts in this process: for the embedded database, which has one process anyway. */
export const countInMemory: CreateCounter = (_name, limits) => new MemoryCounter(limits);

/**
 * Of one counter, 16 MB. A count stays only for an attempt that was tried, which takes a password hash: whoever wants to
 * push out the count of somebody else has to keep this machine hashing for hours (50,000 times 0.2 s of a core).
 */
const MAX_KEYS = 50_000;

/** The key that was not asked for the longest time goes first, so that the memory has an end. */
class MemoryCounter implements AttemptCounter {
  /** In the order in which they were asked for. */
  readonly #counts = new Map<string, WindowCounts>();

  constructor(private readonly limits: WindowLimits) {}

  async look(key: string): Promise<Look> {
    return { refusal: this.#look(key).refusal, take: async () => this.#take(key) };
  }

  /** A key without attempts is forgotten: attempts that were none must not push out those that were. */
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

  /** A key that is refused is in use: it stays. */
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
