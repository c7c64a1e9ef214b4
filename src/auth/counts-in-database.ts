import type { Connection, mongo } from 'mongoose';
import { isDuplicateKey } from '../database/database-errors.ts';
import { ATTEMPT_COUNTS, type AttemptCount, type WindowCounts } from '../models/attempt-count.model.ts';
import type { AttemptCounter, CreateCounter, Taken } from './attempt-counters.ts';
import {
  latestEndMillis,
  refusalOf,
  type WindowLimits,
  type WindowName,
  windowMillis,
  windowsOf,
} from './attempt-windows.ts';

/**
 * Counts in the database, so that instances share their counts.
 * @param connection on which the indexes of the attempt counts exist
 */
export function countInDatabase(connection: Connection): CreateCounter {
  // What a crash takes back is the counts of a moment: no login waits for a disk.
  const db = connection.getClient().db(connection.name, { writeConcern: { w: 1, journal: false } });
  const counts = db.collection<AttemptCount>(ATTEMPT_COUNTS);
  return (name, limits) => new DatabaseCounter(counts, name, limits);
}

/** Each time another instance has inserted the document in the same moment; then it is there. */
const MAX_TRIES = 5;

/** One document for each key, whatever the number of windows: one question for each attempt, and no race to lose. */
class DatabaseCounter implements AttemptCounter {
  readonly #windows: readonly WindowName[];

  constructor(
    private readonly counts: mongo.Collection<AttemptCount>,
    private readonly name: string,
    private readonly limits: WindowLimits,
  ) {
    this.#windows = windowsOf(limits);
  }

  async take(key: string): Promise<Taken> {
    const nowMillis = Date.now();
    const counts = await this.#upsert(key, this.#taking(nowMillis));
    const refusal = counts.isFull ? refusalOf(counts, this.limits, nowMillis) : undefined;
    return refusal ? { refusal } : { counts };
  }

  async giveBack(key: string, counts: WindowCounts): Promise<void> {
    await this.counts.updateOne(this.#filter(key), this.#givingBack(counts));
  }

  async forget(key: string): Promise<void> {
    await this.counts.deleteOne(this.#filter(key));
  }

  #filter(key: string) {
    return { key: `${this.name}:${key}` };
  }

  async #upsert(key: string, pipeline: mongo.Document[]): Promise<AttemptCount> {
    for (let tries = 1; ; tries += 1) {
      try {
        const options = { upsert: true, returnDocument: 'after' } as const;
        const counts = await this.counts.findOneAndUpdate(this.#filter(key), pipeline, options);
        if (counts) return counts;
      } catch (error) {
        if (!isDuplicateKey(error, 'key') || tries >= MAX_TRIES) throw error;
      }
    }
  }

  /** Begins the windows that are over, looks whether one is full, and counts if none is. */
  #taking(nowMillis: number): mongo.Document[] {
    return [
      { $set: this.#each((name) => [name, currentOf(name, nowMillis)]) },
      {
        $set: {
          isFull: { $or: this.#windows.map((name) => ({ $gte: [pointsOf(name), this.limits[name]] })) },
        },
      },
      {
        $set: {
          ...this.#each((name) => [
            `${name}.points`,
            { $add: [pointsOf(name), { $cond: ['$isFull', 0, 1] }] },
          ]),
          expire: { $add: [new Date(0), `$${this.#longest}.endsMillis`] },
        },
      },
    ];
  }

  /** A document without attempts may go at once: many attempts that were none would otherwise fill the disk for a day. */
  #givingBack(counts: WindowCounts): mongo.Document[] {
    const one = (name: WindowName) => ({
      $cond: [{ $eq: [`$${name}.endsMillis`, counts[name]?.endsMillis ?? null] }, -1, 0],
    });
    return [
      { $set: this.#each((name) => [`${name}.points`, { $add: [pointsOf(name), one(name)] }]) },
      {
        $set: { expire: { $cond: [{ $gt: [pointsOf(this.#longest), 0] }, '$expire', new Date(Date.now())] } },
      },
    ];
  }

  get #longest(): WindowName {
    return this.#windows.at(-1) ?? 'minute';
  }

  #each(entryOf: (name: WindowName) => [string, unknown]): mongo.Document {
    return Object.fromEntries(this.#windows.map(entryOf));
  }
}

const pointsOf = (name: WindowName): string => `$${name}.points`;

function currentOf(name: WindowName, nowMillis: number): mongo.Document {
  const ends = `$${name}.endsMillis`;
  const isCurrent = {
    $and: [{ $gt: [ends, nowMillis] }, { $lte: [ends, latestEndMillis(name, nowMillis)] }],
  };
  return { $cond: [isCurrent, `$${name}`, { points: 0, endsMillis: nowMillis + windowMillis(name) }] };
}
