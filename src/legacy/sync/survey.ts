import { asAbsent } from '../../stores/accounts.ts';
import { type BatchRange, isTaken, wasTaken } from '../journal/batch.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { LegacyError } from '../legacy-error.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { type Conversion, ERASED } from '../records/legacy-record.ts';
import type { LegacyTotal } from '../source/legacy-database.ts';
import { KINDS, type Kind } from '../source/legacy-tables.ts';
import { noteStates, recordStates } from './record-events.ts';
import type { Round, Survey, Surveys } from './round.ts';

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

async function survey(context: LegacyContext, kind: Kind, conversion: Conversion): Promise<Survey> {
  const { journal, source, signal } = context;
  const ranges = await journal.ranges(kind);
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
  { journal, source, stores }: LegacyContext,
  kind: Kind,
  { range, after, conversion, gone, absent }: ChangedRange,
): Promise<void> {
  const { rows: recorded = [], pending } = (await journal.batch(kind, range.number)) ?? {};
  const sums = await source.sums(kind, after, range.upTo);
  // What is remembered of a row may be older than its record: a killed round has stored it, perhaps.
  const known = recorded.filter((row) => isTaken(row) || pending?.has(row.key));
  for (const { key } of known.filter((row) => !sums.has(row.key))) {
    gone.add(key);
  }
  if (kind !== 'accounts') {
    return;
  }
  // Also those whose rows were gone before: they are marked, unless a killed round has let them return.
  const taken = recorded.filter(wasTaken);
  const goneHere = taken.filter(({ key }) => !sums.has(key));
  const other = taken.filter(({ key, sum }) => sums.has(key) && (range.isOpen || sums.get(key) !== sum));
  const rows = await source.rows(
    kind,
    other.map(({ key }) => key),
  );
  const staying = rows.filter((row) => {
    const { reason } = ACCOUNTS.convert(row, conversion);
    return reason !== undefined && reason !== ERASED;
  });
  const ids = [...goneHere, ...staying].map(({ key }) => key);
  for (const account of (await ACCOUNTS.stored(stores).byIds(ids)).values()) {
    if (!ACCOUNTS.isMarked(account)) {
      absent.add(account._id);
    }
  }
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
    throw new LegacyError(
      `${named} that were taken over are gone in the legacy database. Nothing was changed. Is it the right one, and complete? ` +
        `If they shall be gone here, too: sync --accept-removals ${most}`,
    );
  }
}

/** How many accounts are read and marked at a time. */
const CHUNK = 1_000;

/**
 * Marks the accounts whose rows the legacy service does not have any more. Nothing is removed. Before anything else is
 * changed, because others may have their e-mails by now. An account that is changed in this moment is left to the next round.
 */
export async function markAbsent(round: Round): Promise<void> {
  const { context, surveys, changes } = round;
  const { absent } = surveys.accounts;
  if (absent.size === 0) {
    return;
  }
  await context.journal.notes.noteChangedAccounts();
  for (const number of surveys.accounts.changed) {
    await context.journal.open('accounts', number);
  }
  const ids = [...absent];
  const since = new Date(round.now);
  const accounts = ACCOUNTS.stored(context.stores);
  for (let start = 0; start < ids.length; start += CHUNK) {
    const stored = await accounts.byIds(ids.slice(start, start + CHUNK));
    const marks = [...stored.values()]
      .map((before) => ({ before, after: asAbsent(before, since) }))
      .filter(({ before, after }) => after !== before);
    const { replacements, noted } = noteStates(marks, since);
    const left = await accounts.replaceIfUnchanged(replacements);
    await recordStates(
      context,
      noted.filter(({ before }) => !left.has(before._id)),
    );
    changes.accounts.marked += marks.length - left.size;
  }
}
