import type { LegacyTotal } from '../source/legacy-database.ts';
import type { SumForm } from '../source/legacy-sql.ts';
import { ADDED_COLUMNS } from '../source/legacy-tables.ts';
import type { Batch, BatchKind, BatchRange, PendingChanges } from './batch.ts';
import { type BookedRow, GONE, NOT_TAKEN, WAITING, wasTaken } from './booked-row.ts';

/** One document instead of one for each row: a million small ones would take as long as the import itself. */
export interface StoredBatch {
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
function totalOf(rows: readonly BookedRow[]): LegacyTotal {
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
