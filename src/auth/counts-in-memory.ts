import type { WindowCount, WindowCounts } from '../models/attempt-count.model.ts';
import type { AttemptCounter, CreateCounter, Taken } from './attempt-counters.ts';
import {
  latestEndMillis,
  refusalOf,
  type WindowLimits,
  type WindowName,
  windowMillis,
  windowsOf,
} from './attempt-windows.ts';

/** Counts in this process: for the embedded database, which has one process anyway. */
export const countInMemory: CreateCounter = (_name, limits) => new MemoryCounter(limits);

/**
 * Some 15 MB. A count is only kept for an attempt that was tried, which takes a password hash: whoever wants to push out
 * the counts of somebody else has to keep this machine hashing for hours (50,000 at 0.2 s each on a core).
 */
const MAX_KEYS = 50_000;

/** The key that was not asked for the longest time goes first, so that the memory has an end. */
class MemoryCounter implements AttemptCounter {
  /** In the order in which they were asked for. */
  readonly #counts = new Map<string, WindowCounts>();

  constructor(private readonly limits: WindowLimits) {}

  async take(key: string): Promise<Taken> {
    const nowMillis = Date.now();
    const counts = this.#currentCountsOf(key, nowMillis);
    const refusal = refusalOf(counts, this.limits, nowMillis);
    if (!refusal) for (const count of Object.values(counts)) count.points += 1;
    this.#keep(key, counts);
    return refusal ? { refusal } : { counts };
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

  #currentCountsOf(key: string, nowMillis: number): WindowCounts {
    const kept = this.#counts.get(key);
    return Object.fromEntries(
      windowsOf(this.limits).map((name) => [name, currentOf(kept?.[name], name, nowMillis)]),
    );
  }

  #keep(key: string, counts: WindowCounts): void {
    this.#counts.delete(key);
    this.#counts.set(key, counts);
    const [longestUnused] = this.#counts.keys();
    if (this.#counts.size > MAX_KEYS && longestUnused !== undefined) this.#counts.delete(longestUnused);
  }
}

function currentOf(kept: WindowCount | undefined, name: WindowName, nowMillis: number): WindowCount {
  const isCurrent =
    kept && kept.endsMillis > nowMillis && kept.endsMillis <= latestEndMillis(name, nowMillis);
  return isCurrent ? kept : { points: 0, endsMillis: nowMillis + windowMillis(name) };
}
