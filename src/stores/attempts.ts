import DataLoader from 'dataloader';
import { type mongo, Schema } from 'mongoose';
import { dbOf } from '../database/connect.ts';
import { isUnique } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { Store } from './store.ts';

/** The attempts of a key in one window, and the end of the window (epoch, in milliseconds). */
export interface WindowCount {
  points: number;
  endsMillis: number;
}

/** The attempts of a key in each window that is counted. */
export interface WindowCounts {
  minute?: WindowCount;
  hour?: WindowCount;
  day?: WindowCount;
}

/** The name of a window. */
export type WindowName = keyof WindowCounts;

/** The attempts of a key in each window, if instances share their counts in the database. */
export interface AttemptCount extends WindowCounts {
  key: string;
  /** When the longest window ends, and the database removes the document. */
  expire: Date;
}

const ATTEMPT_COUNTS = 'attempt_counts';
/** The next character after a slash. */
const AFTER_SLASH = '0';

const window = { points: { type: Number, required: true }, endsMillis: { type: Number, required: true } };

export const attemptCountSchema = new Schema<mongo.WithId<AttemptCount>>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    key: { type: String, required: true },
    minute: { type: window },
    hour: { type: window },
    day: { type: window },
    expire: { type: Date, required: true },
  },
  { collection: ATTEMPT_COUNTS },
);
attemptCountSchema.index({ key: 1 }, { unique: true });
attemptCountSchema.index({ expire: 1 }, { expireAfterSeconds: 0 });

/** An attempt to be counted. */
interface NewAttempt {
  key: string;
  /** The windows in which it counts, the shortest first. */
  windows: readonly WindowName[];
  /** How many attempts each of them allows. */
  limits: Partial<Record<WindowName, number>>;
  /** The record as it was read; undefined if there was none. */
  kept: WindowCounts | undefined;
  /** The current counts: those of {@link kept}, as the same objects, or new ones for windows that are over. */
  counts: WindowCounts;
}

/**
 * The counts of attempts: one record for each key, for all windows. It is read first, and the write succeeds only below
 * the limits. So a refusal writes nothing, and simultaneous attempts cannot exceed a limit together.
 */
export class AttemptStore extends Store<AttemptCount> {
  readonly #reads: DataLoader<string, AttemptCount | undefined>;
  readonly #db: mongo.Db;

  constructor(database: LimitedConnection) {
    // A crash loses only the counts of a moment, so no login waits for a disk.
    super(database, attemptCountSchema, { writeConcern: { w: 1, journal: false } });
    this.#db = dbOf(database.connection);
    this.#reads = new DataLoader((keys) => this.#readAll(keys), { cache: false });
  }

  /** The count of a key. Simultaneous reads, such as those of one attempt, are one query. */
  read(key: string): Promise<AttemptCount | undefined> {
    return this.#reads.load(key);
  }

  async #readAll(keys: readonly string[]): Promise<(AttemptCount | undefined)[]> {
    const found = await this.records.list({ key: { $in: [...new Set(keys)] } });
    const byKey = new Map(found.map((count) => [count.key, count]));
    return keys.map((key) => byKey.get(key));
  }

  /** Counts an attempt. @returns false if a limit is reached, or a window has begun or ended, since it was read */
  async take(attempt: NewAttempt): Promise<boolean> {
    const { key, windows, kept, counts } = attempt;
    if (!kept) {
      return isUnique(this.records.insert({ key, ...withOneMore(attempt) }), 'key');
    }
    const areCurrent = windows.every((name) => counts[name] === kept[name]);
    return areCurrent
      ? this.records.update({ key, ...belowLimits(attempt) }, adding(1, windows))
      : this.records.update({ key, ...unchanged(windows, kept) }, { $set: withOneMore(attempt) });
  }

  /**
   * Gives an attempt back to the windows in which it was counted. A window that has ended since gets nothing back. If it is the
   * key's only attempt, the record is removed: attempts that were given back must not fill the disk.
   * @param counts of the windows in which it was counted
   */
  async giveBack(key: string, windows: readonly WindowName[], counts: WindowCounts): Promise<void> {
    const inTheseWindows = each(windows, (name) => [`${name}.endsMillis`, counts[name]?.endsMillis]);
    const only = { key, ...inTheseWindows, [`${longestOf(windows)}.points`]: 1 };
    if (await this.records.remove(only)) {
      return;
    }
    if (await this.records.update({ key, ...inTheseWindows }, adding(-1, windows))) {
      return;
    }
    // A window has ended since. The others get the attempt back one by one.
    for (const name of windows) {
      const inThisWindow = { key, [`${name}.endsMillis`]: counts[name]?.endsMillis };
      await this.records.update(inThisWindow, adding(-1, [name]));
    }
  }

  /** Forgets the attempts of a key. */
  async forget(key: string): Promise<void> {
    await this.records.remove({ key });
  }

  /**
   * Forgets the attempts of some keys, and of all keys that continue them after a slash.
   * @returns how many records there were
   */
  async forgetAll(keys: readonly string[]): Promise<number> {
    const filters = keys.flatMap((key) => [
      { key },
      { key: { $gt: `${key}/`, $lt: `${key}${AFTER_SLASH}` } },
    ]);
    const deletions = filters.map((filter) => this.records.removeAll(filter));
    return (await Promise.all(deletions)).reduce((sum, removed) => sum + removed, 0);
  }

  /**
   * Writes a record as the gateway does, reads it back, changes it and removes it; in an empty database in a collection of its
   * own, which is dropped.
   * @param key that no attempt has
   * @param expire when the database removes it, if this process is killed meanwhile
   * @returns false if the database has returned something else; and how long the first write has taken
   */
  async probe(key: string, expire: Date): Promise<{ isKept: boolean; writeMillis: number }> {
    const listed = await this.records.within(this.#db.listCollections({ name: ATTEMPT_COUNTS }).toArray());
    const isEmpty = listed.length === 0;
    const collection = isEmpty
      ? this.#db.collection<AttemptCount>(key.replace(':', '_'))
      : this.#db.collection<AttemptCount>(ATTEMPT_COUNTS);
    const startedAt = performance.now();
    try {
      await this.records.within(collection.insertOne({ key, expire }));
      const writeMillis = performance.now() - startedAt;
      const change = { $set: { minute: { points: 1, endsMillis: 0 } } };
      const written = await this.records.within(collection.findOneAndUpdate({ key }, change));
      const read = await this.records.within(collection.findOne({ key }));
      const { deletedCount } = await this.records.within(collection.deleteOne({ key }));
      const isKept = written?.key === key && read?.minute?.points === 1 && deletedCount === 1;
      return { isKept, writeMillis };
    } finally {
      await this.records.within<unknown>(isEmpty ? collection.drop() : collection.deleteOne({ key }));
    }
  }
}

const longestOf = (windows: readonly WindowName[]): WindowName => windows.at(-1) ?? 'minute';

const each = (
  windows: readonly WindowName[],
  entryOf: (name: WindowName) => [string, unknown],
): mongo.Document => Object.fromEntries(windows.map(entryOf));

function withOneMore({ windows, counts }: NewAttempt): Omit<AttemptCount, 'key'> {
  const more = each(windows, (name) => {
    const { points = 0, endsMillis = 0 } = counts[name] ?? {};
    return [name, { points: points + 1, endsMillis }];
  });
  return { ...more, expire: new Date(counts[longestOf(windows)]?.endsMillis ?? 0) };
}

const belowLimits = ({ windows, limits, counts }: NewAttempt): mongo.Document => ({
  ...each(windows, (name) => [`${name}.endsMillis`, counts[name]?.endsMillis]),
  ...each(windows, (name) => [`${name}.points`, { $lt: limits[name] }]),
});

/** In a query, a missing window equals null. */
const unchanged = (windows: readonly WindowName[], kept: WindowCounts): mongo.Document => ({
  ...each(windows, (name) => [`${name}.endsMillis`, kept[name]?.endsMillis ?? null]),
  ...each(windows, (name) => [`${name}.points`, kept[name]?.points ?? null]),
});

const adding = (attempts: number, windows: readonly WindowName[]) =>
  ({
    $inc: each(windows, (name) => [`${name}.points`, attempts]),
  }) as mongo.UpdateFilter<AttemptCount>;
