import type { Connection, mongo } from 'mongoose';
import { dbOf } from '../../database/connect.ts';
import type { Kind } from '../source/legacy-tables.ts';
import {
  type Batch,
  type BatchKind,
  type BatchRange,
  batchId,
  numberOf,
  RANGE_FIELDS,
  type RecordedRow,
  rangesWith,
  type StoredBatch,
  toBatch,
  toRange,
  toStored,
  wasTaken,
} from './batch.ts';
import { type Note, Notes } from './notes.ts';
import { type Run, Runs } from './runs.ts';

const BATCHES = 'legacy_batches';
const NOTES = 'legacy_marks';
const RUNS = 'legacy_runs';

/**
 * The journal of a move, in the gateway's database: what is remembered of every row. With it `sync` finds changes, `undo` and
 * `verify` find what the import has made, and an import that was killed continues behind the last batch.
 *
 * The names of its collections and fields never change: a move that an earlier release has begun is completed by this one.
 */
export class Journal {
  readonly runs: Runs;
  readonly notes: Notes;
  readonly #batches: mongo.Collection<StoredBatch>;
  #settingDigests: Promise<void> = Promise.resolve();

  constructor(private readonly connection: Connection) {
    const db = dbOf(connection);
    this.runs = new Runs(db.collection<Run>(RUNS));
    this.notes = new Notes(db.collection<Note>(NOTES));
    this.#batches = db.collection<StoredBatch>(BATCHES);
  }

  /** Stores a batch, or replaces the one of the same kind and number. Its sums have today's form. */
  async put(batch: Batch): Promise<void> {
    const stored = toStored(batch);
    await this.#batches.replaceOne({ _id: stored._id }, stored, { upsert: true });
  }

  /** Notes that the work on a batch begins. {@link put} ends it. */
  async open(kind: BatchKind, number: number): Promise<void> {
    await this.#batches.updateOne({ _id: batchId(kind, number) }, { $set: { isOpen: true } });
  }

  /** The last batch of a kind; undefined if there is none. An import continues behind its last key. */
  async last(kind: BatchKind): Promise<{ number: number; upTo: string } | undefined> {
    const found = await this.#batches.findOne(
      { _id: { $gte: batchId(kind, 0), $lt: `${kind};` } },
      { sort: { _id: -1 }, projection: { upTo: 1 } },
    );
    return found ? { number: numberOf(found._id), upTo: found.upTo } : undefined;
  }

  /** All batches of a kind, in their order. Each is a query of its own, so no cursor stays open. */
  async *batches(kind: BatchKind): AsyncGenerator<Batch> {
    // `undo` may have removed some between the others.
    for (const { number } of await this.ranges(kind)) {
      const batch = await this.batch(kind, number);
      if (batch) {
        yield batch;
      }
    }
  }

  /** The batches of a kind without their rows, in their order. */
  async ranges(kind: BatchKind): Promise<BatchRange[]> {
    const projection = Object.fromEntries(RANGE_FIELDS.map((field) => [field, 1]));
    const found = await this.#batches
      .find({ _id: { $gte: batchId(kind, 0), $lt: `${kind};` } }, { projection, sort: { _id: 1 } })
      .toArray();
    return found.map(toRange);
  }

  /** One batch of a kind; undefined if there is none of this number. */
  async batch(kind: BatchKind, number: number): Promise<Batch | undefined> {
    const stored = await this.#batches.findOne({ _id: batchId(kind, number) });
    return stored ? toBatch(stored) : undefined;
  }

  /** Those of the keys whose rows were taken. It reads only the batches that may have them. */
  async takenOf(kind: BatchKind, keys: readonly string[]): Promise<Set<string>> {
    const wanted = new Set(keys);
    const taken = new Set<string>();
    for (const { number } of rangesWith(await this.ranges(kind), keys)) {
      const rows = (await this.batch(kind, number))?.rows ?? [];
      for (const { key } of rows.filter((row) => wanted.has(row.key) && wasTaken(row))) {
        taken.add(key);
      }
    }
    return taken;
  }

  /** Forgets a run and its batches. */
  async removeRun(run: string): Promise<void> {
    await this.#batches.deleteMany({ run });
    await this.runs.remove(run);
  }

  /** The batches of a run that are of one kind. */
  async *batchesOf(run: string, kind: BatchKind): AsyncGenerator<Batch> {
    for await (const batch of this.batches(kind)) {
      if (batch.run === run) {
        yield batch;
      }
    }
  }

  /**
   * Records rows in the batches of their ranges, so that `sync` does not take them for new ones.
   * @param rows in any order
   * @param run makes a batch for rows behind the last one
   */
  async recordRows(kind: Kind, rows: readonly RecordedRow[], run: string): Promise<void> {
    const ranges = await this.ranges(kind);
    const byRange = new Map<BatchRange | undefined, RecordedRow[]>();
    for (const row of rows) {
      const range = ranges.find(({ upTo }) => isUpTo(row.key, upTo));
      byRange.set(range, [...(byRange.get(range) ?? []), row]);
    }
    for (const [range, added] of byRange) {
      await (range ? this.#addTo(kind, range, added) : this.#append(kind, added, run));
    }
  }

  async #addTo(kind: Kind, { number }: BatchRange, added: readonly RecordedRow[]): Promise<void> {
    const batch = await this.batch(kind, number);
    if (batch) {
      const rows = new Map([...batch.rows, ...added].map((row) => [row.key, row]));
      await this.put({ ...batch, rows: [...rows.values()] });
    }
  }

  async #append(kind: Kind, added: readonly RecordedRow[], run: string): Promise<void> {
    const last = await this.last(kind);
    const rows = added.toSorted((one, other) => (isUpTo(one.key, other.key) ? -1 : 1));
    await this.put({ kind, number: (last?.number ?? -1) + 1, run, rows });
  }

  /** Gives rows that were taken another digest, in the batches that have them. */
  setDigest(kind: BatchKind, keys: ReadonlySet<string>, digest: string): Promise<void> {
    // Two at the same time may concern the same batch.
    this.#settingDigests = this.#settingDigests
      .catch(() => {})
      .then(() => this.#setDigest(kind, keys, digest));
    return this.#settingDigests;
  }

  async #setDigest(kind: BatchKind, keys: ReadonlySet<string>, digest: string): Promise<void> {
    for (const { number } of keys.size === 0 ? [] : rangesWith(await this.ranges(kind), [...keys])) {
      const batch = await this.batch(kind, number);
      if (batch?.rows.some(({ key }) => keys.has(key))) {
        const rows = batch.rows.map((row) => (keys.has(row.key) ? { ...row, digest } : row));
        await this.put({ ...batch, rows });
      }
    }
  }

  /** Removes everything that was remembered. */
  async drop(): Promise<void> {
    for (const name of [BATCHES, NOTES, RUNS]) {
      await dbOf(this.connection).collection(name).drop();
    }
  }
}

/** True for a key that belongs into the range that ends with another one. */
const isUpTo = (key: string, upTo: string): boolean =>
  /^\d+$/.test(upTo) && /^\d+$/.test(key) ? BigInt(key) <= BigInt(upTo) : key <= upTo;
