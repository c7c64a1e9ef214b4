import type { BatchRange } from '../bookkeeping/batch.ts';
import type { BookedRow } from '../bookkeeping/booked-row.ts';
import { withTodaysSums } from '../bookkeeping/todays-sums.ts';
import { KeySet } from '../import/key-set.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { TOKENS } from '../records/token-kind.ts';
import { KINDS, type Kind } from '../source/legacy-tables.ts';
import { randomPlaces } from './random-places.ts';
import { verifyFiles } from './verify-files.ts';
import { type Compared, compareRows, noneCompared } from './verify-rows.ts';

/** What `verify` has found, by kind. */
export type VerifyResult = Record<Kind | 'files', Compared>;

/** How many records are read at a time. */
const PAGE = 2_000;

/**
 * Compares all rows and files of the legacy service with what the gateway has stored. Writes nothing.
 * @param sample compares only so many rows of each kind, and the files of as many profiles; undefined: all
 */
export async function verify(context: LegacyContext, sample: number | undefined): Promise<VerifyResult> {
  const result = {
    accounts: noneCompared(),
    profiles: noneCompared(),
    files: noneCompared(),
    tokens: noneCompared(),
  };
  for (const kind of KINDS) {
    const ranges = await context.bookkeeping.ranges(kind);
    if (sample === undefined) {
      await verifyAll(context, kind, ranges, result[kind]);
    } else {
      await verifySome(context, kind, ranges, sample, result[kind]);
    }
  }
  await verifyFiles(context, sample, result.files);
  return result;
}

async function verifyAll(
  context: LegacyContext,
  kind: Kind,
  ranges: readonly BatchRange[],
  result: Compared,
): Promise<void> {
  const { source, bookkeeping, observer, signal } = context;
  const known = new KeySet();
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  const read = (index: number) => {
    const range = ranges[index];
    const rows = range && source.range(kind, ranges[index - 1]?.upTo, range.upTo);
    // Awaited later. Until then a failure is not an unhandled rejection.
    rows?.catch(() => {});
    return rows;
  };
  let next = read(0);
  for (const [index, { number }] of ranges.entries()) {
    signal.throwIfAborted();
    const after = ranges[index - 1]?.upTo;
    const rows = (await next) ?? [];
    // The legacy database reads the next rows while these are compared.
    next = read(index + 1);
    const batch = await bookkeeping.batch(kind, number);
    const booked = bookedByKey(batch ? (await withTodaysSums(source, batch, after)).rows : []);
    for (const key of booked.keys()) {
      known.add(key);
    }
    await compareRows(context, kind, booked, rows, result);
    observer.progress(kind, result.compared, total);
  }
  for (let after = ranges.at(-1)?.upTo; ; ) {
    const rows = await source.page(kind, after, PAGE);
    if (rows.length === 0) {
      break;
    }
    await compareRows(context, kind, new Map(), rows, result);
    after = rows.at(-1)?.key;
  }
  if (kind === 'tokens') {
    await findUnknownTokens(context, known, result);
  }
}

/** Imported tokens that the legacy database does not have, and that no run remembers. */
async function findUnknownTokens(
  { stores, observer }: LegacyContext,
  known: KeySet,
  result: Compared,
): Promise<void> {
  const tokens = TOKENS.stored(stores);
  for (let ids = await tokens.idsAfter('', PAGE); ids.length > 0; ) {
    const unknown = await tokens.byIds(ids.filter((id) => !known.has(id)));
    for (const { _id: id } of [...unknown.values()].filter((token) => TOKENS.isImported(token))) {
      result.different += 1;
      const reason = 'it was imported, but the legacy database does not have it';
      observer.found({ kind: 'tokens', id, outcome: 'differs', reason });
    }
    ids = await tokens.idsAfter(ids.at(-1) ?? '', PAGE);
  }
}

async function verifySome(
  context: LegacyContext,
  kind: Kind,
  ranges: readonly BatchRange[],
  sample: number,
  result: Compared,
): Promise<void> {
  const total = ranges.reduce((sum, { count }) => sum + count, 0);
  const places = randomPlaces(total, sample);
  let first = 0;
  let after: string | undefined;
  for (const { number, count, upTo } of ranges) {
    const inBatch = places.filter((place) => place >= first && place < first + count);
    if (inBatch.length > 0) {
      context.signal.throwIfAborted();
      const former = await context.bookkeeping.batch(kind, number);
      const batch = former && (await withTodaysSums(context.source, former, after));
      const picked = inBatch.map((place) => batch?.rows[place - first]).filter((row) => row !== undefined);
      const booked = bookedByKey(picked);
      await compareRows(context, kind, booked, await context.source.rows(kind, [...booked.keys()]), result);
      context.observer.progress(kind, result.compared, places.length);
    }
    first += count;
    after = upTo;
  }
}

const bookedByKey = (rows: readonly BookedRow[]): Map<string, BookedRow> =>
  new Map(rows.map((row) => [row.key, row]));
