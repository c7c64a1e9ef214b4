import type { Connection, mongo } from 'mongoose';
import { dbOf } from '../../database/db-of.ts';
import type { LegacyTotal } from '../source/legacy-database.ts';
import type { SumForm } from '../source/legacy-sql.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { type BookedRow, GONE, NOT_TAKEN, WAITING, wasTaken } from './booked-row.ts';

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
  /** The end of its range, if that is behind its last row, which was deleted since. */
  upTo?: string;
  /** How its sums were made; undefined: as today. */
  form?: SumForm;
  /** True: a `sync` has begun with it, and was killed before the end. Any of its rows may be half done. */
  isOpen?: boolean;
  /** Changes of records that were about to be stored when a `sync` was killed, by the keys of their rows. */
  pending?: PendingChanges;
}

/** What a record becomes, and the digest that is then remembered of its row. */
export type PendingChanges = ReadonlyMap<string, { after: string; digest: string }>;

/** A batch without its rows. */
export interface BatchRange extends LegacyTotal {
  number: number;
  /** The last key of its range. The range begins behind that of the batch before. */
  upTo: string;
  /** How many of its rows were not taken. */
  notTaken: number;
  /** How many of these are tried again. */
  waiting: number;
  form: SumForm;
  isOpen: boolean;
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
  /** The number of rows, and their sums added up: the database tells cheaply whether they are still the same. */
  count: number;
  total: number;
  /** How many of them were not taken. */
  notTaken: number;
  /** How many of these are tried again; absent in batches of earlier versions. */
  waiting?: number;
  /** Present if its sums have the key. */
  withKey?: true;
  /** Present while a `sync` works on it. */
  isOpen?: true;
  /** JSON of the pending changes: key, digest of the record, digest of the row. */
  pending?: string;
  keys: string;
  sums: string;
  /** All have the length of the longest, with blanks at the end. */
  digests: string;
  /** The length of a digest; absent in batches of earlier versions, whose digests have 16 characters. */
  digestCharacters?: number;
}

/** Something else that is remembered. */
interface Mark {
  _id: string;
  value: string;
}
const CHANGED_ACCOUNTS = 'new accounts';
/** Before a kind. */
const INSERTING = 'inserting ';
/** Before the id of an account. */
const ACCOUNT = 'account ';

const rangeOf = (prefix: string) => ({ $gte: prefix, $lt: `${prefix}~` });

const NUMBER_DIGITS = 8;
const idOf = (kind: BatchKind, number: number): string =>
  `${kind}:${String(number).padStart(NUMBER_DIGITS, '0')}`;

const numberOf = (id: string): number => Number(id.slice(-NUMBER_DIGITS));

/** What the legacy database answers for rows that have not changed. */
function totalOf(rows: readonly BookedRow[]): LegacyTotal {
  const there = rows.filter(({ sum }) => sum !== GONE);
  return {
    count: there.length,
    total: there.reduce((total, { sum }) => total + Number.parseInt(sum, 16), 0),
  };
}

/**
 * What an import remembers of every row, in the gateway's database. With it `sync` finds changes, `undo` and `verify` find what
 * the import has made, and an import that was killed goes on behind the last batch.
 */
export class Bookkeeping {
  readonly #batches: mongo.Collection<StoredBatch>;
  readonly #runs: mongo.Collection<Run>;
  readonly #marks: mongo.Collection<Mark>;
  #rebooking: Promise<void> = Promise.resolve();

  constructor(connection: Connection) {
    const db = dbOf(connection);
    this.#batches = db.collection<StoredBatch>('legacy_batches');
    this.#runs = db.collection<Run>('legacy_runs');
    this.#marks = db.collection<Mark>('legacy_marks');
  }

  /** Stores a batch, or replaces the one of the same kind and number. Its sums have today's form. */
  async put({ kind, number, run, rows, upTo, isOpen = false, pending }: Batch): Promise<void> {
    const digestCharacters = Math.max(0, ...rows.map(({ digest }) => digest.length));
    const stored: StoredBatch = {
      _id: idOf(kind, number),
      kind,
      run,
      upTo: upTo ?? rows.at(-1)?.key ?? '',
      ...totalOf(rows),
      notTaken: rows.filter((row) => !wasTaken(row)).length,
      waiting: rows.filter(({ digest }) => digest === WAITING).length,
      withKey: true,
      ...(isOpen && { isOpen }),
      ...(isOpen && pending && { pending: JSON.stringify([...pending]) }),
      keys: rows.map(({ key }) => key).join('\n'),
      sums: rows.map(({ sum }) => sum).join(''),
      digests: rows.map(({ digest }) => digest.padEnd(digestCharacters)).join(''),
      digestCharacters,
    };
    await this.#batches.replaceOne({ _id: stored._id }, stored, { upsert: true });
  }

  /** Notes that the work on a batch begins. {@link put} ends it. */
  async open(kind: BatchKind, number: number): Promise<void> {
    await this.#batches.updateOne({ _id: idOf(kind, number) }, { $set: { isOpen: true } });
  }

  /** The last batch of a kind; undefined if there is none. An import goes on behind its last key. */
  async last(kind: BatchKind): Promise<{ number: number; upTo: string } | undefined> {
    const found = await this.#batches.findOne(
      { _id: { $gte: idOf(kind, 0), $lt: `${kind};` } },
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
    const projection = { upTo: 1, count: 1, total: 1, notTaken: 1, waiting: 1, withKey: 1, isOpen: 1 };
    const found = await this.#batches
      .find({ _id: { $gte: idOf(kind, 0), $lt: `${kind};` } }, { projection, sort: { _id: 1 } })
      .toArray();
    return found.map(({ _id, upTo, count, total, notTaken, waiting = 0, withKey, isOpen = false }) => ({
      ...{ number: numberOf(_id), upTo, count, total, notTaken, waiting, isOpen },
      form: withKey ? 'with key' : 'without key',
    }));
  }

  /** One batch of a kind; undefined if there is none of this number. */
  async batch(kind: BatchKind, number: number): Promise<Batch | undefined> {
    const stored = await this.#batches.findOne({ _id: idOf(kind, number) });
    if (!stored) {
      return undefined;
    }
    const { run, upTo, withKey, isOpen = false } = stored;
    const form = withKey ? 'with key' : 'without key';
    const pending: PendingChanges = new Map(JSON.parse(stored.pending ?? '[]'));
    return { kind, number, run, rows: rowsOf(stored), upTo, form, isOpen, pending };
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

  /** Forgets a run and its batches. */
  async removeRun(run: string): Promise<void> {
    await this.#batches.deleteMany({ run });
    await this.#runs.deleteOne({ _id: run });
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
   * Notes that accounts are about to be added or changed: rows that wait for their account may have it then. A command that is
   * killed leaves the note to the next one.
   */
  async noteChangedAccounts(): Promise<void> {
    await this.#marks.updateOne({ _id: CHANGED_ACCOUNTS }, { $set: { value: '' } }, { upsert: true });
  }

  /** True after {@link noteChangedAccounts}, until {@link forgetChangedAccounts}. */
  async hasChangedAccounts(): Promise<boolean> {
    return (await this.#marks.findOne({ _id: CHANGED_ACCOUNTS })) !== null;
  }

  async forgetChangedAccounts(): Promise<void> {
    await this.#marks.deleteOne({ _id: CHANGED_ACCOUNTS });
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

  /**
   * Notes rows whose records are about to be stored.
   * @param number of their batch
   */
  async noteInserts(kind: Kind, number: number, rows: readonly BookedRow[]): Promise<void> {
    const change = {
      $set: { value: JSON.stringify(rows.map(({ key, sum, digest }) => [key, sum, digest])) },
    };
    await this.#marks.updateOne({ _id: `${INSERTING}${kind} ${number}` }, change, { upsert: true });
  }

  /** The rows that {@link noteInserts} has noted, until {@link forgetInserts}. */
  async notedInserts(kind: Kind): Promise<BookedRow[]> {
    const found = await this.#marks.find({ _id: rangeOf(`${INSERTING}${kind} `) }).toArray();
    const rows = found.flatMap(({ value }) => JSON.parse(value) as [string, string, string][]);
    return rows.map(([key, sum, digest]) => ({ key, sum, digest }));
  }

  /** @param number of the batch that is remembered by now; undefined: all batches of the kind */
  async forgetInserts(kind: Kind, number?: number): Promise<void> {
    const prefix = `${INSERTING}${kind} `;
    await this.#marks.deleteMany({ _id: number === undefined ? rangeOf(prefix) : `${prefix}${number}` });
  }

  /** The keys in the legacy database of accounts that it knows by another id than the gateway. */
  async legacyKeys(): Promise<Map<string, string>> {
    const found = await this.#marks.find({ _id: rangeOf(ACCOUNT) }).toArray();
    return new Map(found.map(({ _id, value }) => [_id.slice(ACCOUNT.length), value]));
  }

  /** Remembers the key of an account in the legacy database. */
  async setLegacyKey(accountId: string, key: string): Promise<void> {
    await this.#marks.updateOne({ _id: ACCOUNT + accountId }, { $set: { value: key } }, { upsert: true });
  }

  /** Removes everything that was remembered. */
  async drop(): Promise<void> {
    for (const collection of [this.#batches, this.#marks, this.#runs]) {
      await collection.drop();
    }
  }
}

/** The ranges that may have the keys. Only numbers have the same order in every database: other keys may be in any range. */
function rangesWith(ranges: readonly BatchRange[], keys: readonly string[]): readonly BatchRange[] {
  if (![...keys, ...ranges.map(({ upTo }) => upTo)].every((text) => /^\d+$/.test(text))) {
    return ranges;
  }
  const ends = ranges.map(({ upTo }) => BigInt(upTo));
  const isInOrder = ends.every((end, index) => index === 0 || end > (ends[index - 1] ?? 0n));
  const indexes = new Set(keys.map((key) => ends.findIndex((end) => BigInt(key) <= end)));
  return isInOrder ? ranges.filter((_, index) => indexes.has(index)) : ranges;
}

function rowsOf(stored: StoredBatch): BookedRow[] {
  const { keys, sums, digests } = stored;
  const list = keys === '' ? [] : keys.split('\n');
  const { digestCharacters = NOT_TAKEN.length } = stored;
  // The sums of files are longer than those of rows.
  const sumCharacters = sums.length / list.length;
  return list.map((key, index) => ({
    key,
    sum: part(sums, index, sumCharacters),
    digest: part(digests, index, digestCharacters).trimEnd(),
  }));
}

const part = (text: string, index: number, length: number): string =>
  text.slice(index * length, (index + 1) * length);
