import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import { emailKey } from '../../stores/email-key.ts';
import { type BookedRow, WAITING } from '../bookkeeping/booked-row.ts';
import { findingOf } from '../import/import-rows.ts';
import { insertRecords, type NewRecord, type Stored } from '../import/insert-records.ts';
import { type AnyRecord, collectionOf, findRecords, recordKindOf } from '../records/stored-records.ts';
import type { Exchange } from '../rings.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { applyChanges, type WantedChange } from './apply-changes.ts';
import { prepareDocuments, removeFormerDocuments } from './changed-documents.ts';
import type { Change } from './kind-rules.ts';
import { revokeBeforeNewPowers } from './new-powers.ts';
import type { Round } from './round.ts';

/** A stored record, and what it becomes. */
export interface RowChange {
  row: LegacyRow;
  stored: AnyRecord;
  record: AnyRecord;
  change: WantedChange;
  /** The digest that is remembered: that of the row. */
  digest: string;
}

/** The rows of a batch. They are brought up to date in place. */
export interface BookedBatch {
  booked: Map<string, BookedRow>;
  number: number;
  /**
   * The changes that are being stored. After a kill, a record that one of them has changed is not taken for one that was changed
   * here.
   */
  pending: Map<string, { after: string; digest: string }>;
  /** Remembers the rows as they are in {@link booked}. The batch stays open. */
  save(): Promise<void>;
}

/** What is to be done with the rows that were read together. */
export interface Work {
  kind: Kind;
  batch: BookedBatch;
  inserts: { row: LegacyRow; wanted: NewRecord<AnyRecord> }[];
  changes: RowChange[];
  beside: Change[];
  /** Tokens whose rows cannot be taken any more. */
  removals: string[];
}

/**
 * Removes tokens. That they were removed by the move is remembered first: a token that was taken and is not here has ended here,
 * and never returns.
 */
export async function removeTokens(
  { context, changes }: Round,
  ids: readonly string[],
  { save }: Pick<BookedBatch, 'save'>,
): Promise<void> {
  if (ids.length > 0) {
    await save();
    const { deletedCount } = await context.models.tokens.deleteMany({
      _id: { $in: [...ids] },
      imported: true,
    });
    changes.tokens.removed += deletedCount;
  }
}

/** Changes stored records. What fails stays remembered as it was, so that it is tried again. */
export async function changeRecords(round: Round, { kind, batch, changes }: Work): Promise<void> {
  if (changes.length === 0) {
    return;
  }
  const { context } = round;
  if (kind === 'accounts') {
    await context.bookkeeping.noteChangedAccounts();
  }
  await prepareDocuments(context, kind, changes);
  await revokeBeforeNewPowers(context, kind, changes);
  for (const { row, change, digest } of changes) {
    batch.pending.set(row.key, { after: change.after, digest });
  }
  await batch.save();
  const wanted = changes.map((one) => one.change);
  const failed = await applyChanges(context, kind, wanted);
  const done = changes.filter(({ row }) => !failed.has(row.key));
  for (const { row, stored, digest } of done) {
    batch.booked.set(row.key, { key: row.key, sum: row.sum, digest });
    round.changes[kind]['legacyAbsence' in stored ? 'returned' : 'changed'] += 1;
  }
  await removeFormerDocuments(context, kind, done);
  if (kind === 'accounts') {
    block(
      round,
      batch.number,
      changes
        .filter(({ row }) => failed.has(row.key))
        .map(({ stored, record }) => {
          const { emailKey: held } = stored as StoredAccount;
          return { id: record._id, held, wanted: wantedKey(record as StoredAccount) };
        }),
    );
  }
}

/** The key of a record's own e-mail. A stored record may have another one in its place. */
const wantedKey = (record: StoredAccount): string => emailKey(record.email);

function block({ blocked }: Round, number: number, accounts: readonly Exchange[]): void {
  if (accounts.length > 0) {
    blocked.set(number, [...(blocked.get(number) ?? []), ...accounts]);
  }
}

/** Stores new records. */
export async function insertNew(round: Round, work: Work): Promise<void> {
  const { kind, batch } = work;
  if (work.inserts.length === 0) {
    return;
  }
  if (round.isBeforeAccounts && kind === 'tokens') {
    round.waiting.add(batch.number);
    return;
  }
  const { context } = round;
  const inserts = kind === 'accounts' ? await withFreeEmails(round, work) : work.inserts;
  if (kind === 'accounts' && inserts.length > 0) {
    await context.bookkeeping.noteChangedAccounts();
  }
  await prepareDocuments(
    context,
    kind,
    inserts.map(({ wanted: { record } }) => ({ record })),
  );
  const noted = inserts.map(({ row: { key, sum }, wanted: { digest } }) => ({ key, sum, digest }));
  await context.bookkeeping.noteInserts(kind, batch.number, noted);
  const outcomes = await insertRecords(
    collectionOf(context.models, kind) as never,
    recordKindOf(kind),
    inserts.map(({ wanted }) => wanted),
  );
  for (const [index, insert] of inserts.entries()) {
    bookInsert(round, work, insert, outcomes[index] ?? 'stored');
  }
}

function bookInsert(
  round: Round,
  { kind, batch }: Work,
  { row: { key, sum }, wanted }: Work['inserts'][number],
  outcome: Stored,
): void {
  const former = batch.booked.get(key);
  const isStored = outcome === 'stored';
  batch.booked.set(key, { key, sum, digest: isStored ? wanted.digest : WAITING });
  round.changes[kind].added += isStored ? 1 : 0;
  if (outcome === 'other with this e-mail') {
    // Reported at the end of the round, unless the e-mail becomes free.
    block(round, batch.number, [
      { id: key, held: undefined, wanted: wantedKey(wanted.record as StoredAccount) },
    ]);
  } else if (outcome === 'other with this id' && former?.sum !== sum) {
    round.context.observer.found(findingOf(kind, key, outcome));
  }
}

/** The new accounts whose e-mails no other account has. The others wait. */
async function withFreeEmails(round: Round, work: Work): Promise<Work['inserts']> {
  const keyOf = ({ wanted: { record } }: Work['inserts'][number]) => (record as StoredAccount).emailKey;
  const keys = work.inserts.map(keyOf);
  const holders = await findRecords(
    round.context.models,
    'accounts',
    { emailKey: { $in: keys } },
    { projection: { emailKey: 1 } },
  );
  const held = new Map(holders.map(({ _id, emailKey: key }) => [key, _id]));
  const isFree = (insert: Work['inserts'][number]) =>
    [undefined, insert.row.key].includes(held.get(keyOf(insert)));
  for (const insert of work.inserts.filter((one) => !isFree(one))) {
    bookInsert(round, work, insert, 'other with this e-mail');
  }
  return work.inserts.filter(isFree);
}
