import type { Connection, mongo } from 'mongoose';
import { dbOf } from '../../database/connect.ts';
import { type Batch, type BatchKind, type BatchRange, rangesWith } from './batch.ts';
import { wasTaken } from './booked-row.ts';
import { type Note, Notes } from './notes.ts';
import { type Run, Runs } from './runs.ts';
import {
  batchId,
  numberOf,
  RANGE_FIELDS,
  type StoredBatch,
  toBatch,
  toRange,
  toStored,
} from './stored-batch.ts';

const BATCHES = 'legacy_batches';
const NOTES = 'legacy_marks';
const RUNS = 'legacy_runs';

/**
 * What an import remembers of every row, in the gateway's database. With it `sync` finds changes, `undo` and `verify` find what
 * the import has made, and an import that was killed goes on behind the last batch.
 */
export class Bookkeeping {
  readonly runs: Runs;
  readonly notes: Notes;
  readonly #batches: mongo.Collection<StoredBatch>;
  #rebooking: Promise<void> = Promise.resolve();

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

  /** The last batch of a kind; undefined if there is none. An import goes on behind its last key. */
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

  /** Gives rows that were taken another digest, in the batches that have them. */
  rebook(kind: BatchKind, keys: ReadonlySet<string>, digest: string): Promise<void> {
    // Two at the same time may concern the same batch.
    this.#rebooking = this.#rebooking.catch(() => {}).then(() => this.#rebook(kind, keys, digest));
    return this.#rebooking;
  }

  async #rebook(kind: BatchKind, keys: ReadonlySet<string>, digest: string): Promise<void> {
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
