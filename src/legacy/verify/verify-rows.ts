import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import { type BookedRow, GONE, WAITING, wasTaken } from '../bookkeeping/booked-row.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { type AnyRecord, kindOf } from '../records/kinds.ts';
import { type Converted, ERASED, isAboutAccount, isSameDigest, OF_ADMIN } from '../records/legacy-record.ts';
import type { RecordKind } from '../records/record-kind.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { takenAccounts } from '../sync/taken-accounts.ts';
import { recordedEnds } from './recorded-ends.ts';

/** What a comparison has found. */
export interface Compared {
  compared: number;
  /** Differences, missing rows, and rows that only one side has. */
  different: number;
  /** Rows that differ because of something that was done here on purpose, and tokens that were only used there since. */
  kept: number;
  /** Rows that their run has not taken, and has reported. */
  notTaken: number;
  /** Accounts that are not here because another account has their e-mail or id: people who cannot log in here. */
  waiting: number;
}

export const noneCompared = (): Compared => ({
  ...{ compared: 0, different: 0, kept: 0, notTaken: 0, waiting: 0 },
});

/** A row on both sides. */
interface RowState {
  /** What is remembered; undefined if the row is new there. */
  booked: BookedRow | undefined;
  /** The row that the legacy database has now. */
  row: LegacyRow | undefined;
  converted: Converted<AnyRecord> | undefined;
  stored: AnyRecord | undefined;
  /** True if an account with this id was erased here. */
  isErased: boolean;
  /** For a profile or token that was not taken: true if its account was taken by now. */
  hasOwner: boolean;
  /** For a token that is not here any more: why it has ended. */
  end?: string | undefined;
}

type Verdict =
  | { outcome: 'differs' | 'missing' | 'lost' | 'kept' | 'not taken'; reason: string }
  | 'equal'
  | 'not taken';

/**
 * Compares rows of the legacy database with the stored records, value by value.
 * @param booked what is remembered of the rows, by their key
 * @param rows those that the legacy database has now
 */
export async function compareRows(
  context: LegacyContext,
  kind: Kind,
  booked: ReadonlyMap<string, BookedRow>,
  rows: readonly LegacyRow[],
  result: Compared,
): Promise<void> {
  const { stores, bookkeeping, readTime, policy, observer } = context;
  const there = new Map(rows.map((row) => [row.key, row]));
  const keys = [...new Set([...booked.keys(), ...there.keys()])];
  const recordKind = kindOf(kind);
  const stored = await recordKind.stored(stores).byIds(keys);
  // At the beginning of time, no token has expired: one that has expired since it was taken is no difference.
  const conversion = { readTime, now: new Date(0), policy, erased: NOBODY };
  const missing = kind === 'tokens' ? [] : keys.filter((key) => !stored.has(key));
  const erased = await stores.erasures.ids(missing);
  const waiting = rows.filter(({ key }) => booked.get(key)?.digest === WAITING);
  const owners = waiting.map((row) => recordKind.accountOf(row)).filter((id) => typeof id === 'string');
  const taken = await takenAccounts({ stores, bookkeeping }, owners);
  const states = keys.map((id): RowState => {
    const row = there.get(id);
    return {
      booked: booked.get(id),
      row,
      converted: row && recordKind.convert(row, conversion),
      stored: stored.get(id),
      isErased: erased.has(id),
      hasOwner: row !== undefined && taken.has(recordKind.accountOf(row) ?? ''),
    };
  });
  const ends =
    kind === 'tokens' ? await recordedEnds(context, states.flatMap(missingToken)) : new Map<string, string>();
  for (const [index, state] of states.entries()) {
    const id = keys[index] ?? '';
    const verdict = judge(recordKind, { ...state, end: ends.get(id) });
    result.compared += 1;
    if (verdict === 'not taken') {
      result.notTaken += 1;
    } else if (verdict !== 'equal') {
      result[COUNTED_AS[verdict.outcome]] += 1;
      observer.found({ kind, id, ...verdict });
    }
  }
}

const COUNTED_AS = {
  kept: 'kept',
  differs: 'different',
  missing: 'different',
  lost: 'different',
  'not taken': 'waiting',
} as const;

const differs = (reason: string): Verdict => ({ outcome: 'differs', reason });

function judge(kind: RecordKind<AnyRecord>, state: RowState): Verdict {
  const { booked, row, converted, stored, isErased } = state;
  if (!booked || (row && booked.sum === GONE && stored)) {
    return differs('it was added there since: run sync');
  }
  if (!row) {
    return judgeGone(booked, stored);
  }
  if (!wasTaken(booked)) {
    const isReady = state.hasOwner && converted?.record !== undefined;
    return isReady
      ? differs('its account is here now: run sync')
      : judgeNotTaken(kind.name, booked, row, stored);
  }
  if (!stored) {
    return kind.name === 'tokens' ? whyLost(state) : whyMissing(isErased);
  }
  if (converted?.reason === OF_ADMIN) {
    return { outcome: 'kept', reason: `it stays, without power: ${OF_ADMIN}` };
  }
  const isMarked = kind.isMarked(stored);
  if (!converted?.record) {
    // An account that is not marked yet must be; all else stays as it is, unless its row has changed.
    const isDone =
      kind.name === 'accounts' ? isMarked : row.sum === booked.sum || isAboutAccount(converted?.reason ?? '');
    return isDone
      ? { outcome: 'kept', reason: `it stays, although it cannot be taken any more: ${converted?.reason}` }
      : differs(`it cannot be taken any more: ${converted?.reason}; run sync`);
  }
  if (isMarked) {
    return differs('it is there again: run sync');
  }
  const fields = kind.differingFields(stored, converted.record);
  if (fields.length === 0) {
    const isDisabled = 'disabledAt' in stored && stored.disabledAt;
    return isDisabled ? { outcome: 'kept', reason: 'it is disabled here' } : 'equal';
  }
  if (row.sum !== booked.sum && fields.join() === 'lastUsedAt') {
    // The routes that stay there use tokens at any time, so no sync would be late enough.
    return { outcome: 'kept', reason: 'it was used there since' };
  }
  if (row.sum !== booked.sum) {
    return differs(`it was changed there since: run sync (${fields.join(', ')})`);
  }
  if (
    isSameDigest(converted.digest, booked.digest) &&
    kind.wasChangedHere(stored, converted.record, fields)
  ) {
    return { outcome: 'kept', reason: `it was changed here (${fields.join(', ')})` };
  }
  return isSameDigest(converted.digest, booked.digest)
    ? differs(fields.join(', '))
    : {
        outcome: 'kept',
        reason: `it was changed on both sides, or written there by back (${fields.join(', ')})`,
      };
}

function judgeGone(booked: BookedRow, stored: AnyRecord | undefined): Verdict {
  if (!stored) {
    return 'equal';
  }
  return booked.sum === GONE
    ? { outcome: 'kept', reason: 'it is gone there; it stays here, until finish' }
    : differs('it was deleted there since: run sync');
}

function judgeNotTaken(
  kind: Kind,
  booked: BookedRow,
  row: LegacyRow,
  stored: AnyRecord | undefined,
): Verdict {
  if (row.sum !== booked.sum) {
    return differs('it was changed there since: run sync');
  }
  if (kind !== 'accounts' || booked.digest !== WAITING) {
    return 'not taken';
  }
  const reason = stored ? 'another record has its id' : 'its e-mail belongs to another account';
  return { outcome: 'not taken', reason };
}

const NOBODY: ReadonlySet<string> = new Set();

const whyMissing = (isErased: boolean): Verdict =>
  isErased ? { outcome: 'kept', reason: ERASED } : { outcome: 'missing', reason: 'it is not here' };

/** The record of a token that was taken as its row still says, and that is not here any more. */
function missingToken({ booked, converted, stored }: RowState): StoredAccessToken[] {
  const isMissing = booked && wasTaken(booked) && !stored && isSameDigest(converted?.digest, booked.digest);
  const record = isMissing ? converted?.record : undefined;
  return record && 'secretHash' in record ? [record] : [];
}

function whyLost(state: RowState): Verdict {
  if (missingToken(state).length === 0) {
    return { outcome: 'kept', reason: 'it was changed there and has ended here' };
  }
  return state.end === undefined
    ? { outcome: 'lost', reason: 'it is not here, and nothing says why' }
    : { outcome: 'kept', reason: state.end };
}
