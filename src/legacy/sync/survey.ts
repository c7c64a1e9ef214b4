import type { BatchRange } from '../bookkeeping/batch.ts';
import { isTaken } from '../bookkeeping/booked-row.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { type Conversion, ERASED } from '../records/legacy-record.ts';
import { Refusal } from '../refusal.ts';
import type { LegacyTotal } from '../source/legacy-database.ts';
import { KINDS, type Kind } from '../source/legacy-tables.ts';

/** What has changed in the legacy database since a `sync` has looked at it, of one kind. */
export interface Survey {
  ranges: readonly BatchRange[];
  /** The numbers of the batches with rows that have changed or gone. */
  changed: ReadonlySet<number>;
  /** The keys of the rows that were taken, and that the legacy database does not have any more. */
  gone: ReadonlySet<string>;
  /** The ids of accounts whose rows are gone, or do not move any more. They are not marked yet. */
  absent: ReadonlySet<string>;
}

export type Surveys = Readonly<Record<Kind, Survey>>;

/** So many rows of a kind may be gone in any case. */
const MAX_GONE = 9;
/** More than one row of so many: then the tables are likely not what they were. */
const GONE_SHARE = 10;

/**
 * Looks for what has changed, and changes nothing.
 * @param accepted how many rows of each kind may be gone; undefined: nine, or a tenth
 * @throws Refusal if more are gone. A dump that is being restored, another schema or a renamed class looks like that
 */
export async function surveyAll(
  context: LegacyContext,
  conversion: Conversion,
  accepted: number | undefined,
): Promise<Surveys> {
  const surveys: Partial<Record<Kind, Survey>> = {};
  for (const kind of KINDS) {
    surveys[kind] = await survey(context, kind, conversion);
  }
  const complete = surveys as Surveys;
  refuseManyGone(complete, accepted);
  return complete;
}

function refuseManyGone(surveys: Surveys, accepted: number | undefined): void {
  const counts = KINDS.map((kind) => {
    const { ranges, gone, absent } = surveys[kind];
    const known = ranges.reduce((sum, { count, notTaken }) => sum + count - notTaken, 0);
    return { kind, known, count: kind === 'accounts' ? absent.size : gone.size };
  });
  const isMuch = ({ known, count }: { known: number; count: number }) =>
    accepted === undefined
      ? count > MAX_GONE && count > known / GONE_SHARE
      : count > Math.max(accepted, MAX_GONE);
  const many = counts.filter(isMuch);
  if (many.length > 0) {
    const named = many.map(({ kind, known, count }) => `${count} of ${known} ${kind}`).join(', ');
    const most = Math.max(...many.map(({ count }) => count));
    throw new Refusal(
      `${named} that were taken over are gone in the legacy database. Nothing was changed. Is it the right one, and complete? ` +
        `If they shall be gone here, too: sync --accept-removals ${most}`,
    );
  }
}

async function survey(context: LegacyContext, kind: Kind, conversion: Conversion): Promise<Survey> {
  const { bookkeeping, source, signal } = context;
  const ranges = await bookkeeping.ranges(kind);
  const changed = new Set<number>();
  const gone = new Set<string>();
  const absent = new Set<string>();
  const total = (index: number) => {
    const range = ranges[index];
    const answer = range && source.total(kind, ranges[index - 1]?.upTo, range.upTo);
    // It is awaited later. Until then a failure is not an unhandled rejection.
    answer?.catch(() => {});
    return answer;
  };
  let next = total(0);
  for (const [index, range] of ranges.entries()) {
    signal.throwIfAborted();
    const found = await next;
    // The legacy database counts the next batch meanwhile.
    next = total(index + 1);
    if (range.isOpen || !isEqual(found, range)) {
      changed.add(range.number);
      await addGone(context, kind, { range, after: ranges[index - 1]?.upTo, conversion, gone, absent });
    }
  }
  return { ranges, changed, gone, absent };
}

const isEqual = (found: LegacyTotal | undefined, { count, total }: BatchRange): boolean =>
  found?.count === count && found.total === total;

interface ChangedRange {
  range: BatchRange;
  after: string | undefined;
  conversion: Conversion;
  gone: Set<string>;
  absent: Set<string>;
}

async function addGone(
  { bookkeeping, source, stores }: LegacyContext,
  kind: Kind,
  { range, after, conversion, gone, absent }: ChangedRange,
): Promise<void> {
  const batch = await bookkeeping.batch(kind, range.number);
  const taken = batch?.rows.filter(isTaken) ?? [];
  const sums = await source.sums(kind, after, range.upTo);
  const goneHere = taken.filter(({ key }) => !sums.has(key)).map(({ key }) => key);
  for (const key of goneHere) {
    gone.add(key);
  }
  if (kind !== 'accounts') {
    return;
  }
  const other = taken.filter(({ key, sum }) => sums.has(key) && (range.isOpen || sums.get(key) !== sum));
  const rows = await source.rows(
    kind,
    other.map(({ key }) => key),
  );
  const staying = rows.filter((row) => {
    const { reason } = ACCOUNTS.convert(row, conversion);
    return reason !== undefined && reason !== ERASED;
  });
  const ids = [...goneHere, ...staying.map(({ key }) => key)];
  for (const account of (await ACCOUNTS.stored(stores).byIds(ids)).values()) {
    if (!ACCOUNTS.isMarked(account)) {
      absent.add(account._id);
    }
  }
}
