import { ROLES, type StoredAccount } from '../../stores/accounts.ts';
import type { Replacement } from '../../stores/bulk-records.ts';
import { emailKey } from '../../stores/email-key.ts';
import { placeFile } from '../import/import-files.ts';
import { findingOf } from '../import/import-legacy.ts';
import { insertRecords, type Stored } from '../import/insert-records.ts';
import { WAITING } from '../journal/batch.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { AnyRecord } from '../records/kinds.ts';
import type { RecordKind } from '../records/record-kind.ts';
import { TOKENS } from '../records/token-kind.ts';
import type { Exchange } from '../rings.ts';
import { noteStates, recordRemovedTokens, recordStates } from './record-events.ts';
import type { RecordedBatch, Round, RowChange, Work } from './round.ts';

/**
 * Removes tokens. That they were removed by the move is remembered first: a token that was taken and is not here has ended here,
 * and never returns.
 */
export async function removeTokens(
  { context, changes }: Round,
  ids: readonly string[],
  { save }: Pick<RecordedBatch, 'save'>,
): Promise<void> {
  if (ids.length === 0) {
    return;
  }
  await save();
  const tokens = TOKENS.stored(context.stores);
  const imported = [...(await tokens.byIds(ids)).values()].filter((token) => TOKENS.isImported(token));
  const left = await tokens.removeIfUnchanged(imported);
  changes.tokens.removed += imported.length - left.size;
  await recordRemovedTokens(
    context,
    imported.filter(({ _id }) => !left.has(_id)),
  );
}

/** Changes stored records. What fails stays remembered as it was, so that it is tried again. */
export async function changeRecords(round: Round, { kind, batch, changes: wanted }: Work): Promise<void> {
  // Who removes a record has read which documents it names.
  const changes = wanted.filter(({ before }) => !kind.isBeingRemoved(before));
  if (changes.length === 0) {
    return;
  }
  const { context } = round;
  const { stores, documents } = context;
  const isAccounts = kind.name === 'accounts';
  if (isAccounts) {
    await context.journal.notes.noteChangedAccounts();
  }
  const added = await prepareDocuments(context, kind, changes);
  await revokeBeforeNewPowers(context, changes);
  for (const { row, after, digest } of changes) {
    batch.pending.set(row.key, { after: kind.digestOf(after), digest });
  }
  await batch.save();
  const { replacements, noted } = isAccounts
    ? noteStates(changes as Replacement<StoredAccount>[], round.now)
    : { replacements: changes, noted: [] };
  const failed = await kind.stored(stores).replaceIfUnchanged(replacements);
  await recordStates(
    context,
    noted.filter(({ before }) => !failed.has(before._id)),
  );
  if (failed.size > 0) {
    // The person may be erased by now: nothing else would find what was copied.
    await stores.doctors.removeUnnamedFiles(added, documents);
  }
  const done = changes.filter(({ row }) => !failed.has(row.key));
  for (const { row, before, digest } of done) {
    batch.recorded.set(row.key, { key: row.key, sum: row.sum, digest });
    round.changes[kind.name][kind.isMarked(before) ? 'returned' : 'changed'] += 1;
  }
  await removeFormerDocuments(context, kind, done);
  if (isAccounts) {
    const left = changes.filter(({ row }) => failed.has(row.key));
    block(
      round,
      batch.number,
      left.map(({ before, after }) => ({
        id: after._id,
        held: kind.uniqueKey(before),
        wanted: wantedKey(after),
      })),
    );
  }
}

const isReviewer = (record: AnyRecord): boolean => 'role' in record && record.role === ROLES.REVIEWER;

/**
 * Revokes the tokens of accounts that are about to become reviewers: a token that was issued to a patient or a doctor must not
 * have the power over doctors. Before the change, so that a kill leaves no such token.
 */
async function revokeBeforeNewPowers(context: LegacyContext, changes: readonly RowChange[]): Promise<void> {
  const { stores, journal } = context;
  const promoted = changes.filter(({ before, after }) => isReviewer(after) && !isReviewer(before));
  if (promoted.length === 0) {
    return;
  }
  const ids = promoted.map(({ before }) => before._id);
  const tokens = await TOKENS.ofAccounts(stores, ids);
  const imported = tokens.filter((token) => TOKENS.isImported(token)).map(({ _id }) => _id);
  // They have not ended: they return with the former role.
  await journal.setDigest('tokens', new Set(imported), WAITING);
  const left = await TOKENS.stored(stores).removeIfUnchanged(tokens);
  await recordRemovedTokens(
    context,
    tokens.filter(({ _id }) => !left.has(_id)),
  );
}

/** A record as it is if it exists, and as it will be. */
type Wanted<T> = { before?: T; after: T };

/**
 * Copies the documents that records are about to name, so that no profile names one that is not here yet.
 * @returns the stored paths of those that were not here before
 */
export async function prepareDocuments<T extends { _id: string }>(
  context: LegacyContext,
  kind: RecordKind<T>,
  wanted: readonly Wanted<T>[],
): Promise<string[]> {
  if (context.filesDir === undefined) {
    return [];
  }
  const added: string[] = [];
  for (const { before, after } of wanted) {
    const known = before ? kind.documentsOf(before) : [];
    for (const storedPath of kind.documentsOf(after).filter((path) => !known.includes(path))) {
      const { done, sha256 } = await placeFile(context, storedPath);
      if (sha256 !== undefined) {
        kind.noteHash(after, { path: storedPath, sha256 });
      }
      if (done === 'added') {
        added.push(storedPath);
      }
    }
  }
  return added;
}

/** Removes the documents that the profiles do not name any more. The change has noted them (profile-kind.ts). */
async function removeFormerDocuments<T extends { _id: string }>(
  context: LegacyContext,
  kind: RecordKind<T>,
  replacements: readonly Replacement<T>[],
): Promise<void> {
  for (const { before, after } of replacements) {
    const named = kind.documentsOf(after);
    if (kind.documentsOf(before).some((path) => !named.includes(path))) {
      await context.stores.doctors.finishRemoval(after._id, context.documents);
    }
  }
}

/** Stores new records. */
export async function insertNew(round: Round, work: Work): Promise<void> {
  const { kind, batch } = work;
  if (work.inserts.length === 0) {
    return;
  }
  if (round.isBeforeAccounts && kind.name === 'tokens') {
    round.waiting.add(batch.number);
    return;
  }
  const { context } = round;
  await leaveEnded(round, work);
  const inserts = await withFreeKeys(round, work);
  if (kind.name === 'accounts' && inserts.length > 0) {
    await context.journal.notes.noteChangedAccounts();
  }
  const added = await prepareDocuments(
    context,
    kind,
    inserts.map(({ wanted: { record } }) => ({ after: record })),
  );
  const noted = inserts.map(({ row: { key, sum }, wanted: { digest } }) => ({ key, sum, digest }));
  await context.journal.notes.noteInserts(kind.name, batch.number, noted);
  const outcomes = await insertRecords(
    context.stores,
    kind,
    inserts.map(({ wanted }) => wanted),
  );
  if (outcomes.some((outcome) => outcome !== 'stored')) {
    await context.stores.doctors.removeUnnamedFiles(added, context.documents);
  }
  for (const [index, insert] of inserts.entries()) {
    recordInsert(round, work, insert, outcomes[index] ?? 'stored');
  }
}

/**
 * Leaves out tokens that were here before and were revoked here. Only the audit trail knows of one if a round was killed after it had
 * remembered to remove the token, its row returned, and its owner logged out before this round.
 */
async function leaveEnded({ context: { stores } }: Round, work: Work): Promise<void> {
  const { kind, batch } = work;
  if (kind.name !== 'tokens') {
    return;
  }
  const known = work.inserts.filter(({ row: { key } }) => batch.recorded.has(key));
  const accountIds = [...new Set(known.map(({ wanted: { record } }) => kind.accountIdOf(record)))];
  const ended = new Set((await stores.auditEvents.endingsOf(accountIds)).map(({ tokenId }) => tokenId));
  for (const { row, wanted } of known.filter(({ row: { key } }) => ended.has(key))) {
    // As one that was taken and is not here any more.
    batch.recorded.set(row.key, { key: row.key, sum: row.sum, digest: wanted.digest });
  }
  work.inserts = work.inserts.filter(({ row: { key } }) => !(batch.recorded.has(key) && ended.has(key)));
}

/** The new records whose unique keys no other record has. The others wait: accounts whose e-mail another one has. */
async function withFreeKeys(round: Round, work: Work): Promise<Work['inserts']> {
  const { kind } = work;
  const keyOf = ({ wanted: { record } }: Work['inserts'][number]) => kind.uniqueKey(record);
  const keys = work.inserts.map(keyOf).filter((key) => key !== undefined);
  const holders = await kind.holdersOf(round.context.stores, keys);
  const held = new Map(holders.map((record) => [kind.uniqueKey(record), record._id]));
  const isFree = (insert: Work['inserts'][number]) =>
    [undefined, insert.row.key].includes(held.get(keyOf(insert)));
  for (const insert of work.inserts.filter((one) => !isFree(one))) {
    recordInsert(round, work, insert, 'other with this e-mail');
  }
  return work.inserts.filter(isFree);
}

function recordInsert(
  round: Round,
  { kind, batch }: Work,
  { row: { key, sum }, wanted }: Work['inserts'][number],
  outcome: Stored,
): void {
  const former = batch.recorded.get(key);
  const isStored = outcome === 'stored';
  batch.recorded.set(key, { key, sum, digest: isStored ? wanted.digest : WAITING });
  round.changes[kind.name].added += isStored ? 1 : 0;
  if (outcome === 'other with this e-mail') {
    // Reported at the end of the round, unless the e-mail becomes free.
    block(round, batch.number, [{ id: key, held: undefined, wanted: wantedKey(wanted.record) }]);
  } else if (outcome === 'other with this id' && former?.sum !== sum) {
    round.context.observer.found(findingOf(kind.name, key, outcome));
  }
}

/** The key of a record's own e-mail. A stored record may have another one in its place. */
const wantedKey = (record: AnyRecord): string => ('email' in record ? emailKey(record.email) : '');

function block({ blocked }: Round, number: number, accounts: readonly Exchange[]): void {
  if (accounts.length > 0) {
    blocked.set(number, [...(blocked.get(number) ?? []), ...accounts]);
  }
}
