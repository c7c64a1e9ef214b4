import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import type { Role, StoredAccount } from '../../stores/accounts.ts';
import type { KeySet } from '../import/key-set.ts';
import { NOT_TAKEN, type RecordedRow } from '../journal/batch.ts';
import type { InvalidRow, LegacyContext } from '../legacy-context.ts';
import type { AnyRecord } from '../records/kinds.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import type { WriteTime } from '../source/legacy-time.ts';
import type { LegacyWriter, RequiredColumns } from './legacy-writer.ts';

/**
 * True for a token whose lifetime by the settings is over. Its record does not always say so.
 * @param role of its account; undefined if there is none
 * @param now milliseconds since the epoch
 */
export type HasEnded = (token: StoredAccessToken, role: Role | undefined, now: number) => boolean;

/** What `back` has written for a kind. */
export interface WrittenRows {
  added: number;
  changed: number;
  removed: number;
}

/** What the parts of `back` share. */
export interface BackState {
  context: LegacyContext;
  writer: LegacyWriter;
  writeTime: WriteTime;
  run: string;
  hasEndedBySettings: HasEnded;
  /** True: nothing of it lasts, here or there. */
  isDryRun: boolean;
  required: Readonly<Record<Kind, RequiredColumns>>;
  written: Record<Kind, WrittenRows>;
  /** The accounts that people would need there and that are not written. */
  unwrittenAccounts: number;
  /** The stored paths of the documents that were copied. */
  copied: Set<string>;
  /** The keys in the legacy database of the rows that were added. */
  added: Record<Kind, Set<string>>;
  /** The accounts that the legacy database has under the same id. Another person there may have an id from here. */
  accountsThere: KeySet;
  /** The keys in the legacy database of accounts that have another id there. */
  legacyKeys: Map<string, string>;
  /** Accounts that could not be changed because another row has their e-mail: it may have another one by now. */
  deferred: Map<string, { account: StoredAccount; reason: string }>;
}

/** How many rows are written in one transaction. */
export const CHUNK = 100;

/** Groups of {@link CHUNK} items. */
export function* chunks<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += CHUNK) {
    yield items.slice(start, start + CHUNK);
  }
}

/** The key of an account in the legacy database; undefined if it can have none there. */
export const legacyKeyOf = (
  { legacyKeys, accountsThere }: BackState,
  accountId: string,
): string | undefined => legacyKeys.get(accountId) ?? (accountsThere.has(accountId) ? accountId : undefined);

/** True if the owner of an account has closed it, so that it waits for its erasure. */
export const isClosed = ({ erasureDueAt }: StoredAccount): boolean => Boolean(erasureDueAt);

/** True for an id that a BIGINT column takes. */
export const isNumber = (id: string): boolean => /^[1-9]\d{0,18}$/.test(id);

/** Reports a record that is not written. */
export function notWritten(state: BackState, kind: InvalidRow['kind'], id: string, reason: string): void {
  state.unwrittenAccounts += kind === 'accounts' && !MEANT_TO_STAY.has(reason) ? 1 : 0;
  state.context.observer.found({ kind, id, outcome: 'not written', reason });
}

/** The reason against a new account that is a reviewer. */
export const IS_REVIEWER = 'it is a reviewer, and would be an administrator there';
/** The reason against a new account that waits for its erasure. */
export const IS_CLOSED = 'its owner has closed it';
/** No other run would write such accounts, either, and nobody can change that there. */
const MEANT_TO_STAY: ReadonlySet<string> = new Set([IS_REVIEWER, IS_CLOSED]);

/** Reports the texts of a profile that are empty there because its table requires them. */
export function reportEmptied({ context }: BackState, id: string, names: readonly string[]): void {
  if (names.length > 0) {
    const reason = `the legacy database requires ${names.join(', ')}, so an empty text is written`;
    context.observer.found({ kind: 'profiles', id, outcome: 'differs', reason });
  }
}

/** Reports the doctors with a correction that waits for a decision: the legacy service gets what was reviewed. */
export function reportProposals({ context }: BackState, records: Iterable<AnyRecord>): void {
  for (const record of records) {
    if ('proposal' in record && record.proposal) {
      const reason = 'a correction waits for a decision, and is not written; decide first';
      context.observer.found({ kind: 'profiles', id: record._id, outcome: 'not written', reason });
    }
  }
}

/**
 * Remembers the rows as they are in the legacy database after they were written. A dry run remembers nothing.
 * @param digests of the stored records, by their keys there; without one, the row is remembered as one that was not taken
 */
export async function recordRows(
  { context: { source, journal }, run, isDryRun }: BackState,
  kind: Kind,
  keys: readonly string[],
  digests: ReadonlyMap<string, string>,
): Promise<void> {
  if (keys.length === 0 || isDryRun) {
    return;
  }
  const rows: LegacyRow[] = await source.rows(kind, keys);
  const recorded = rows.map(
    ({ key, sum }): RecordedRow => ({ key, sum, digest: digests.get(key) ?? NOT_TAKEN }),
  );
  await journal.recordRows(kind, recorded, run);
}

/** The rows with these keys as the legacy database has them now. */
export async function rowsThere(
  { context }: BackState,
  kind: Kind,
  rows: readonly { key: string }[],
): Promise<Map<string, LegacyRow>> {
  const there = await context.source.rows(
    kind,
    rows.map(({ key }) => key),
  );
  return new Map(there.map((row) => [row.key, row]));
}
