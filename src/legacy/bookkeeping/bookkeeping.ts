import type { Connection, mongo } from 'mongoose';
import { SUM_CHARACTERS } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** What is known of one row of the legacy database. */
export interface BookedRow {
  key: string;
  /** The sum of the row when it was last read. */
  sum: string;
  /** The digest of the record that was made of it; {@link NOT_TAKEN} if none was. */
  digest: string;
}

/** The digest of a row that was not taken. */
export const NOT_TAKEN = '0'.repeat(16);

/** What batches are made of: rows, or files. The key of a file is its stored path, its sum the beginning of its SHA-256. */
export type BatchKind = Kind | 'files';

/** Rows that were read together, in the order of their keys. The batches of a kind follow each other in this order, too. */
export interface Batch {
  kind: BatchKind;
  /** Its place among the batches of its kind, from 0. */
  number: number;
  /** The run that has made it. A later run may have changed some of its rows. */
  run: string;
  rows: BookedRow[];
}

/** A run of a command that writes. */
export interface Run {
  _id: string;
  command: 'import' | 'sync' | 'back';
  startedAt: Date;
  endedAt: Date | null;
  /** The options that a continuation must repeat, without the address of the legacy database. */
  options: Readonly<Record<string, string>>;
}

/** One document instead of one for each row: a million small ones would take as long as the import itself. */
interface StoredBatch {
  /** The kind and the number, such as `accounts:00000012`. */
  _id: string;
  kind: BatchKind;
  run: string;
  /** The last key of the batch. */
  upTo: string;
  keys: string;
  sums: string;
  digests: string;
}

const NUMBER_DIGITS = 8;
const idOf = (kind: BatchKind, number: number): string =>
  `${kind}:${String(number).padStart(NUMBER_DIGITS, '0')}`;

/**
 * What an import remembers of every row, in the gateway's database: `sync` finds changes with it, `undo` and `verify` what
 * the import has made, and an import that was killed goes on behind the last batch.
 */
export class Bookkeeping {
  readonly #batches: mongo.Collection<StoredBatch>;
  readonly #runs: mongo.Collection<Run>;

  constructor({ db }: Connection) {
    if (!db) {
      throw new Error('not open');
    }
    this.#batches = db.collection<StoredBatch>('legacy_batches');
    this.#runs = db.collection<Run>('legacy_runs');
  }

  /** Stores a batch, or replaces the one of the same kind and number. */
  async put({ kind, number, run, rows }: Batch): Promise<void> {
    const stored: StoredBatch = {
      _id: idOf(kind, number),
      kind,
      run,
      upTo: rows.at(-1)?.key ?? '',
      keys: rows.map(({ key }) => key).join('\n'),
      sums: rows.map(({ sum }) => sum).join(''),
      digests: rows.map(({ digest }) => digest).join(''),
    };
    await this.#batches.replaceOne({ _id: stored._id }, stored, { upsert: true });
  }

  /** The last batch of a kind; undefined if there is none. An import goes on behind its last key. */
  async last(kind: BatchKind): Promise<{ number: number; upTo: string } | undefined> {
    const found = await this.#batches.findOne(
      { _id: { $gte: idOf(kind, 0), $lt: `${kind};` } },
      { sort: { _id: -1 }, projection: { upTo: 1 } },
    );
    return found ? { number: Number(found._id.slice(kind.length + 1)), upTo: found.upTo } : undefined;
  }

  /** All batches of a kind, in their order. Each is a query of its own, so no cursor stays open. */
  async *batches(kind: BatchKind): AsyncGenerator<Batch> {
    for (let number = 0; ; number += 1) {
      const stored = await this.#batches.findOne({ _id: idOf(kind, number) });
      if (!stored) {
        return;
      }
      yield { kind, number, run: stored.run, rows: rowsOf(stored) };
    }
  }

  /** The runs, the oldest first. */
  runs(): Promise<Run[]> {
    return this.#runs.find().sort({ startedAt: 1, _id: 1 }).toArray();
  }

  async begin(run: Run): Promise<void> {
    await this.#runs.insertOne(run);
  }

  async end(run: string, endedAt: Date): Promise<void> {
    await this.#runs.updateOne({ _id: run }, { $set: { endedAt } });
  }

  /** Removes everything that was remembered. */
  async drop(): Promise<void> {
    await this.#batches.drop();
    await this.#runs.drop();
  }
}

function rowsOf({ keys, sums, digests }: StoredBatch): BookedRow[] {
  return (keys === '' ? [] : keys.split('\n')).map((key, index) => ({
    key,
    sum: part(sums, index),
    digest: part(digests, index),
  }));
}

const part = (text: string, index: number): string =>
  text.slice(index * SUM_CHARACTERS, (index + 1) * SUM_CHARACTERS);
