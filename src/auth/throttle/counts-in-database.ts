import DataLoader from 'dataloader';
import type { Connection, mongo } from 'mongoose';
import { isDuplicateKey } from '../../database/database-errors.ts';
import { ServiceUnavailableError } from '../../errors/errors.ts';
import { ATTEMPT_COUNTS, type AttemptCount, type WindowCounts } from '../../stores/attempts.ts';
import type { Clock } from '../../system/clock.ts';
import type { AttemptCounter, CreateCounter, Look, Taken } from './attempt-counters.ts';
import {
  currentCounts,
  type Refusal,
  refusalOf,
  type WindowLimits,
  type WindowName,
  windowsOf,
} from './attempt-windows.ts';

/**
 * Counts in the database, so that instances share their counts.
 * @param connection on which the indexes of the attempt counts exist
 */
export function countInDatabase(connection: Connection, clock: Clock): CreateCounter {
  // A crash loses only the counts of a moment, so no login waits for a disk.
  const db = connection.getClient().db(connection.name, { writeConcern: { w: 1, journal: false } });
  const counts = db.collection<AttemptCount>(ATTEMPT_COUNTS);
  const read = countReader(counts);
  return (name, limits) => new DatabaseCounter(counts, read, clock, name, limits);
}

/** Reads counts by key. Simultaneous reads, such as those of one attempt, are one query. */
function countReader(counts: mongo.Collection<AttemptCount>): CountReader {
  return new DataLoader(
    async (keys) => {
      const found = await counts.find({ key: { $in: [...new Set(keys)] } }).toArray();
      const byKey = new Map(found.map((count) => [count.key, count]));
      return keys.map((key) => byKey.get(key));
    },
    { cache: false },
  );
}

type CountReader = DataLoader<string, AttemptCount | undefined>;

/** A try fails only if another attempt begins or ends a window at the same moment. Even a second try is rare. */
const MAX_TRIES = 20;

/** A count as read from the database, and its current value. */
interface Seen {
  kept: AttemptCount | undefined;
  counts: WindowCounts;
  refusal: Refusal | undefined;
}

/**
 * Has one document for each key, for all windows. It is read first; the write succeeds only if there is still room. So a
 * refusal writes nothing, and simultaneous attempts cannot exceed a limit together.
 */
class DatabaseCounter implements AttemptCounter {
  readonly #windows: readonly WindowName[];

  constructor(
    private readonly counts: mongo.Collection<AttemptCount>,
    private readonly read: CountReader,
    private readonly clock: Clock,
    private readonly name: string,
    private readonly limits: WindowLimits,
  ) {
    this.#windows = windowsOf(limits);
  }

  async look(key: string): Promise<Look> {
    const seen = this.#judge(await this.read.load(this.#fullKey(key)));
    return { refusal: seen.refusal, take: () => this.#take(this.#fullKey(key), seen) };
  }

  async #take(key: string, seen: Seen): Promise<Taken> {
    let now = seen;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (now.refusal) {
        return { refusal: now.refusal };
      }
      if (await this.#countOne(key, now)) {
        return { counts: now.counts };
      }
      now = this.#judge(await this.read.load(key));
    }
    throw new ServiceUnavailableError('an attempt could not be counted among many others');
  }

  #judge(kept: AttemptCount | undefined): Seen {
    const nowMillis = this.clock.now();
    const counts = currentCounts(kept, this.limits, nowMillis);
    return { kept, counts, refusal: refusalOf(counts, this.limits, nowMillis) };
  }

  /** If it is the key's only attempt, its document is deleted: attempts that were given back must not fill the disk. */
  async giveBack(key: string, counts: WindowCounts): Promise<void> {
    const fullKey = this.#fullKey(key);
    const inTheseWindows = this.#each((name) => [`${name}.endsMillis`, counts[name]?.endsMillis]);
    const only = { key: fullKey, ...inTheseWindows, [`${this.#longest}.points`]: 1 };
    if ((await this.counts.deleteOne(only)).deletedCount > 0) {
      return;
    }
    const all = await this.counts.updateOne({ key: fullKey, ...inTheseWindows }, this.#adding(-1));
    if (all.matchedCount > 0) {
      return;
    }
    // A window has ended since. The others get the attempt back one by one.
    for (const name of this.#windows) {
      const inThisWindow = { key: fullKey, [`${name}.endsMillis`]: counts[name]?.endsMillis };
      await this.counts.updateOne(inThisWindow, { $inc: { [`${name}.points`]: -1 } } as Update);
    }
  }

  async forget(key: string): Promise<void> {
    await this.counts.deleteOne({ key: this.#fullKey(key) });
  }

  /** False when another attempt was faster. */
  async #countOne(key: string, { kept, counts }: Seen): Promise<boolean> {
    if (!kept) {
      return this.#insert({ key, ...this.#withOneMore(counts) });
    }
    const goesOn = this.#windows.every((name) => counts[name] === kept[name]);
    const { matchedCount } = goesOn
      ? await this.counts.updateOne({ key, ...this.#withRoom(counts) }, this.#adding(1))
      : await this.counts.updateOne({ key, ...this.#unchanged(kept) }, { $set: this.#withOneMore(counts) });
    return matchedCount > 0;
  }

  async #insert(count: AttemptCount): Promise<boolean> {
    try {
      await this.counts.insertOne(count);
      return true;
    } catch (error) {
      if (isDuplicateKey(error, 'key')) {
        return false;
      }
      throw error;
    }
  }

  #withOneMore(counts: WindowCounts): Omit<AttemptCount, 'key'> {
    const more = this.#each((name) => {
      const { points = 0, endsMillis = 0 } = counts[name] ?? {};
      return [name, { points: points + 1, endsMillis }];
    });
    return { ...more, expire: new Date(counts[this.#longest]?.endsMillis ?? 0) };
  }

  #withRoom(counts: WindowCounts): mongo.Document {
    return {
      ...this.#each((name) => [`${name}.endsMillis`, counts[name]?.endsMillis]),
      ...this.#each((name) => [`${name}.points`, { $lt: this.limits[name] }]),
    };
  }

  /** In a query, a missing window equals null. */
  #unchanged(kept: WindowCounts): mongo.Document {
    return {
      ...this.#each((name) => [`${name}.endsMillis`, kept[name]?.endsMillis ?? null]),
      ...this.#each((name) => [`${name}.points`, kept[name]?.points ?? null]),
    };
  }

  #adding(attempts: number): Update {
    return { $inc: this.#each((name) => [`${name}.points`, attempts]) } as Update;
  }

  get #longest(): WindowName {
    return this.#windows.at(-1) ?? 'minute';
  }

  #fullKey(key: string): string {
    return `${this.name}:${key}`;
  }

  #each(entryOf: (name: WindowName) => [string, unknown]): mongo.Document {
    return Object.fromEntries(this.#windows.map(entryOf));
  }
}

type Update = mongo.UpdateFilter<AttemptCount>;
