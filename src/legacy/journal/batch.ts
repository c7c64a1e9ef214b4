import { DIGEST_CHARACTERS } from '../records/legacy-record.ts';
import type { LegacyTotal } from '../source/legacy-database.ts';
import type { SumForm } from '../source/legacy-sql.ts';
import { ADDED_COLUMNS, type Kind } from '../source/legacy-tables.ts';

/** What is known of one row of the legacy database. */
export interface RecordedRow {
  key: string;
  /** The sum of the row when it was last read; {@link GONE} if the legacy database did not have it any more. */
  sum: string;
  /** The digest of the record that was made of it; {@link NOT_TAKEN} or {@link WAITING} if none was. */
  digest: string;
}

/** The digest of a row that was not taken, and that is not tried again until it changes. */
export const NOT_TAKEN = '0'.repeat(DIGEST_CHARACTERS);

/** The digest of a row that was not taken because of something else: its account, or another account with its e-mail. */
export const WAITING = '1'.padStart(DIGEST_CHARACTERS, '0');

/**
 * The sum of a row that was taken and that the legacy database does not have any more. Its digest is kept: if the row returns, it
 * is known whether its record was changed here meanwhile, and a token that has ended here stays ended.
 */
export const GONE = '--------';

/** True for a row whose record was stored, also if the row or the record has gone since. */
export const wasTaken = ({ digest }: Pick<RecordedRow, 'digest'>): boolean =>
  digest !== NOT_TAKEN && digest !== WAITING;

/** True for a row that was taken, and that the legacy database had when it was last looked at. */
export const isTaken = (row: RecordedRow): boolean => wasTaken(row) && row.sum !== GONE;

/** What batches are made of: rows, or files. The key of a file is its stored path, its sum the beginning of its SHA-256. */
export type BatchKind = Kind | 'files';

/** Rows that were read together, in the order of their keys. The batches of a kind follow each other in this order, too. */
export interface Batch {
  kind: BatchKind;
  /** Its place among the batches of its kind, from 0. */
  number: number;
  /** The run that has made it. A later run may have changed some of its rows. */
  run: string;
  rows: RecordedRow[];
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
type PendingChanges = ReadonlyMap<string, { after: string; digest: string }>;

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

/** The ranges that may have the keys. Only numbers have the same order in every database: other keys may be in any range. */
export function rangesWith(ranges: readonly BatchRange[], keys: readonly string[]): readonly BatchRange[] {
  if (![...keys, ...ranges.map(({ upTo }) => upTo)].every((text) => /^\d+$/.test(text))) {
    return ranges;
  }
  const ends = ranges.map(({ upTo }) => BigInt(upTo));
  const isInOrder = ends.every((end, index) => index === 0 || end > (ends[index - 1] ?? 0n));
  const indexes = new Set(keys.map((key) => ends.findIndex((end) => BigInt(key) <= end)));
  return isInOrder ? ranges.filter((_, index) => indexes.has(index)) : ranges;
}

/** One document instead of one for each row: a million small ones would take as long as the import itself. */
export interface StoredBatch {
  /** The kind and the number, such as `accounts:00000012`. */
  _id: string;
  kind: BatchKind;
  run: string;
  /** The last key of the batch. */
  upTo: string;
  /** The number of rows, and their sums added up. The legacy database compares them cheaply. */
  count: number;
  total: number;
  /** How many of them were not taken. */
  notTaken: number;
  /** How many of these are tried again; absent in batches of earlier versions. */
  waiting?: number;
  /** Present if its sums have the key. */
  withKey?: true;
  /** The added columns that its sums have; absent: none. */
  added?: readonly string[];
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

const NUMBER_DIGITS = 8;

/** The id of a batch. The ids of a kind have the order of its batches. */
export const batchId = (kind: BatchKind, number: number): string =>
  `${kind}:${String(number).padStart(NUMBER_DIGITS, '0')}`;

/** The number of a batch by its id. */
export const numberOf = (id: string): number => Number(id.slice(-NUMBER_DIGITS));

/** What the legacy database answers for rows that have not changed. */
function totalOf(rows: readonly RecordedRow[]): LegacyTotal {
  const there = rows.filter(({ sum }) => sum !== GONE);
  return {
    count: there.length,
    total: there.reduce((total, { sum }) => total + Number.parseInt(sum, 16), 0),
  };
}

/** A batch as it is stored. Its sums have today's form. */
export function toStored({ kind, number, run, rows, upTo, isOpen = false, pending }: Batch): StoredBatch {
  const digestCharacters = Math.max(0, ...rows.map(({ digest }) => digest.length));
  return {
    _id: batchId(kind, number),
    kind,
    run,
    upTo: upTo ?? rows.at(-1)?.key ?? '',
    ...totalOf(rows),
    notTaken: rows.filter((row) => !wasTaken(row)).length,
    waiting: rows.filter(({ digest }) => digest === WAITING).length,
    withKey: true,
    ...(kind !== 'files' && ADDED_COLUMNS[kind].length > 0 && { added: ADDED_COLUMNS[kind] }),
    ...(isOpen && { isOpen }),
    ...(isOpen && pending && { pending: JSON.stringify([...pending]) }),
    keys: rows.map(({ key }) => key).join('\n'),
    sums: rows.map(({ sum }) => sum).join(''),
    digests: rows.map(({ digest }) => digest.padEnd(digestCharacters)).join(''),
    digestCharacters,
  };
}

/** The fields that {@link toRange} needs: all but the rows. */
export const RANGE_FIELDS = [
  'upTo',
  'count',
  'total',
  'notTaken',
  'waiting',
  'withKey',
  'added',
  'isOpen',
] as const;

const formOf = ({ withKey, added = [] }: Pick<StoredBatch, 'withKey' | 'added'>): SumForm => ({
  withKey: withKey === true,
  added,
});

/** A stored batch without its rows. */
export const toRange = ({
  _id,
  upTo,
  count,
  total,
  notTaken,
  waiting = 0,
  isOpen,
  ...form
}: Pick<StoredBatch, '_id' | (typeof RANGE_FIELDS)[number]>): BatchRange => ({
  ...{ number: numberOf(_id), upTo, count, total, notTaken, waiting, isOpen: isOpen === true },
  form: formOf(form),
});

/** A batch that was stored. */
export function toBatch(stored: StoredBatch): Batch {
  const { _id, kind, run, upTo, isOpen = false } = stored;
  const pending: PendingChanges = new Map(JSON.parse(stored.pending ?? '[]'));
  return {
    ...{ kind, number: numberOf(_id), run, rows: rowsOf(stored), upTo, isOpen, pending },
    form: formOf(stored),
  };
}

function rowsOf(stored: StoredBatch): RecordedRow[] {
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
