import type { StoredAccessToken } from '../stores/access-tokens.ts';
import type { TokenEnding } from '../stores/audit-events.ts';
import { GONE, type RecordedRow, WAITING, wasTaken } from './journal/batch.ts';
import { takenAccounts } from './journal/taken-accounts.ts';
import type { LegacyContext } from './legacy-context.ts';
import { ACCOUNTS, isDisabledHere } from './records/account-kind.ts';
import { type AnyRecord, kindOf } from './records/kinds.ts';
import { type Converted, ERASED, isAboutAccount, isSameDigest, OF_ADMIN } from './records/legacy-record.ts';
import type { RecordKind } from './records/record-kind.ts';
import type { LegacyRow } from './source/legacy-database.ts';
import type { Kind } from './source/legacy-tables.ts';

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
  recorded: RecordedRow | undefined;
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
 * @param recorded what is remembered of the rows, by their key
 * @param rows those that the legacy database has now
 */
export async function compareRows(
  context: LegacyContext,
  kind: Kind,
  recorded: ReadonlyMap<string, RecordedRow>,
  rows: readonly LegacyRow[],
  result: Compared,
): Promise<void> {
  const { stores, journal, readTime, policy, observer } = context;
  const there = new Map(rows.map((row) => [row.key, row]));
  const keys = [...new Set([...recorded.keys(), ...there.keys()])];
  const recordKind = kindOf(kind);
  const stored = await recordKind.stored(stores).byIds(keys);
  // At the beginning of time, no token has expired: one that has expired since it was taken is no difference.
  const conversion = { readTime, now: new Date(0), policy, erased: NOBODY };
  const missing = kind === 'tokens' ? [] : keys.filter((key) => !stored.has(key));
  const erased = await stores.erasures.ids(missing);
  const waiting = rows.filter(({ key }) => recorded.get(key)?.digest === WAITING);
  const owners = waiting.map((row) => recordKind.accountOf(row)).filter((id) => typeof id === 'string');
  const taken = await takenAccounts({ stores, journal }, owners);
  const states = keys.map((id): RowState => {
    const row = there.get(id);
    return {
      recorded: recorded.get(id),
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
  const { recorded, row, converted, stored, isErased } = state;
  if (!recorded || (row && recorded.sum === GONE && stored)) {
    return differs('it was added there since: run sync');
  }
  if (!row) {
    return judgeGone(recorded, stored);
  }
  if (!wasTaken(recorded)) {
    const isReady = state.hasOwner && converted?.record !== undefined;
    return isReady
      ? differs('its account is here now: run sync')
      : judgeNotTaken(kind.name, recorded, row, stored);
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
      kind.name === 'accounts'
        ? isMarked
        : row.sum === recorded.sum || isAboutAccount(converted?.reason ?? '');
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
  if (row.sum !== recorded.sum && fields.join() === 'lastUsedAt') {
    // The routes that stay there use tokens at any time, so no sync would be late enough.
    return { outcome: 'kept', reason: 'it was used there since' };
  }
  if (row.sum !== recorded.sum) {
    return differs(`it was changed there since: run sync (${fields.join(', ')})`);
  }
  if (
    isSameDigest(converted.digest, recorded.digest) &&
    kind.wasChangedHere(stored, converted.record, fields)
  ) {
    return { outcome: 'kept', reason: `it was changed here (${fields.join(', ')})` };
  }
  return isSameDigest(converted.digest, recorded.digest)
    ? differs(fields.join(', '))
    : {
        outcome: 'kept',
        reason: `it was changed on both sides, or written there by back (${fields.join(', ')})`,
      };
}

function judgeGone(recorded: RecordedRow, stored: AnyRecord | undefined): Verdict {
  if (!stored) {
    return 'equal';
  }
  return recorded.sum === GONE
    ? { outcome: 'kept', reason: 'it is gone there; it stays here, until finish' }
    : differs('it was deleted there since: run sync');
}

function judgeNotTaken(
  kind: Kind,
  recorded: RecordedRow,
  row: LegacyRow,
  stored: AnyRecord | undefined,
): Verdict {
  if (row.sum !== recorded.sum) {
    return differs('it was changed there since: run sync');
  }
  if (kind !== 'accounts' || recorded.digest !== WAITING) {
    return 'not taken';
  }
  const reason = stored ? 'another record has its id' : 'its e-mail belongs to another account';
  return { outcome: 'not taken', reason };
}

const NOBODY: ReadonlySet<string> = new Set();

const whyMissing = (isErased: boolean): Verdict =>
  isErased ? { outcome: 'kept', reason: ERASED } : { outcome: 'missing', reason: 'it is not here' };

/** The record of a token that was taken as its row still says, and that is not here any more. */
function missingToken({ recorded, converted, stored }: RowState): StoredAccessToken[] {
  const isMissing =
    recorded && wasTaken(recorded) && !stored && isSameDigest(converted?.digest, recorded.digest);
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

/** The clocks of the legacy service and of the gateway may differ by that much. */
const CLOCK_SLACK_MILLIS = 60_000;

const REVOKED = 'it was revoked here';
const EXPIRED = 'it has expired';

/**
 * Looks for the reasons why imported tokens are not here any more: an event of the audit trail, the state of their account, or
 * their time.
 * @param tokens what their rows say
 * @returns the reasons by the ids of the tokens. Nothing is known of the others
 */
async function recordedEnds(
  context: LegacyContext,
  tokens: readonly StoredAccessToken[],
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  const unexplained = () => tokens.filter(({ _id }) => !reasons.has(_id));
  const explain = (reasonOf: (token: StoredAccessToken) => string | undefined) => {
    for (const token of unexplained()) {
      const reason = reasonOf(token);
      if (reason !== undefined) {
        reasons.set(token._id, reason);
      }
    }
  };
  explain((token) => (isTimeOver(context, token) ? EXPIRED : undefined));
  const ids = [...new Set(unexplained().map(({ accountId }) => accountId))];
  const closed = await closedAccounts(context, ids);
  explain(({ accountId }) => closed.get(accountId));
  const endings = await endingsOf(context, ids);
  explain((token) =>
    endings.get(token.accountId)?.some((one) => hasEnded(one, token)) ? REVOKED : undefined,
  );
  if (unexplained().length > 0) {
    const everyones = await context.stores.auditEvents.endingsOfEveryone();
    explain((token) => (everyones.some((one) => hasEnded(one, token)) ? REVOKED : undefined));
  }
  return reasons;
}

/** The database removes a token when its time is over. When its idle time began here is not known any more. */
function isTimeOver(
  { clock, tokenIdleMillis }: LegacyContext,
  { createdAt, expiresAt }: StoredAccessToken,
): boolean {
  const now = clock.now();
  const isIdle = tokenIdleMillis !== undefined && Number(createdAt) + tokenIdleMillis <= now;
  return isIdle || (expiresAt !== null && expiresAt.getTime() <= now);
}

/** The reasons why accounts have no tokens, by their ids. */
async function closedAccounts(
  { stores }: LegacyContext,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const id of ids.length === 0 ? [] : await stores.erasures.ids(ids)) {
    reasons.set(id, 'its account was erased here');
  }
  for (const account of (await ACCOUNTS.stored(stores).byIds(ids)).values()) {
    // An absent account is disabled, too, but keeps its tokens.
    if (isDisabledHere(account)) {
      reasons.set(account._id, 'its account is disabled here');
    }
  }
  return reasons;
}

/** True if the act ended the token, unless the token is younger. */
const hasEnded = ({ at, tokenId }: TokenEnding, { _id, createdAt }: StoredAccessToken): boolean =>
  tokenId === null ? at.getTime() + CLOCK_SLACK_MILLIS >= Number(createdAt) : tokenId === _id;

/** The acts of accounts, by the ids of these. */
async function endingsOf(
  { stores }: LegacyContext,
  ids: readonly string[],
): Promise<Map<string, TokenEnding[]>> {
  const byAccount = new Map<string, TokenEnding[]>(ids.map((id) => [id, []]));
  for (const ending of await stores.auditEvents.endingsOf(ids)) {
    byAccount.get(ending.accountId ?? '')?.push(ending);
  }
  return byAccount;
}
