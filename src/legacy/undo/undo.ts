import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import { NOT_TAKEN, wasTaken } from '../bookkeeping/booked-row.ts';
import type { Batch, Run } from '../bookkeeping/bookkeeping.ts';
import { KeySet } from '../import/key-set.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { isSameDigest } from '../records/legacy-record.ts';
import {
  type AnyRecord,
  collectionOf,
  findRecords,
  recordKindOf,
  storedWithIds,
} from '../records/stored-records.ts';
import { Refusal } from '../refusal.ts';
import { KINDS, type Kind } from '../source/legacy-tables.ts';
import { finishRemovals, removeAccounts } from '../sync/removals.ts';

/** What `undo` has removed and kept. */
export interface UndoResult {
  removed: Record<Kind, number>;
  kept: number;
}

/**
 * Finds the run that is to be taken back.
 * @throws Refusal
 */
export async function requireRun(
  { bookkeeping }: Pick<LegacyContext, 'bookkeeping'>,
  id: string,
): Promise<Run> {
  const runs = await bookkeeping.runs();
  const run = runs.find(({ _id }) => _id === id);
  if (!run || run.command === 'back') {
    const known = runs.filter(({ command }) => command !== 'back').map(({ _id }) => _id);
    throw new Refusal(
      `${run ? `${id} is a run of back, which is not taken back here` : `There is no run ${id}`}. ` +
        `Runs: ${known.join(', ') || 'none'}`,
    );
  }
  return run;
}

/**
 * Takes back what a run has added and nobody has changed since: accounts with profile, documents and tokens. Only at its end
 * the run is forgotten, so after a kill the same command goes on.
 *
 * An account that is used here stays with all that belongs to it. What a `sync` has changed or removed stays so.
 */
export async function undo(context: LegacyContext, run: string): Promise<UndoResult> {
  const { bookkeeping, observer, signal } = context;
  const result: UndoResult = { removed: { accounts: 0, profiles: 0, tokens: 0 }, kept: 0 };
  const kept = new KeySet();
  await finishRemovals(context);
  for (const kind of KINDS) {
    let done = 0;
    for await (const batch of bookkeeping.batchesOf(run, kind)) {
      signal.throwIfAborted();
      await undoBatch(context, kind, batch, kept, result);
      done += batch.rows.length;
      observer.progress(kind, done, undefined);
    }
  }
  for await (const { rows } of bookkeeping.batchesOf(run, 'files')) {
    const paths = rows.filter(({ digest }) => digest !== NOT_TAKEN).map(({ key }) => key);
    await context.stores.doctors.removeUnnamedFiles(paths, context.documents);
  }
  await bookkeeping.removeRun(run);
  return result;
}

/** @param kept the accounts that stay */
async function undoBatch(
  context: LegacyContext,
  kind: Kind,
  { rows }: Batch,
  kept: KeySet,
  result: UndoResult,
): Promise<void> {
  const digests = new Map(rows.filter(wasTaken).map(({ key, digest }) => [key, digest]));
  const stored = [...(await storedWithIds(context.models, kind, [...digests.keys()])).values()];
  const used = kind === 'accounts' ? await useOf(context, [...digests.keys()]) : undefined;
  const keep = (id: string, reason: string) => {
    result.kept += 1;
    context.observer.found({ kind, id, outcome: 'kept', reason });
    if (kind === 'accounts') {
      kept.add(id);
    }
  };
  const removable: AnyRecord[] = [];
  for (const record of stored) {
    const accountId = 'accountId' in record ? record.accountId : record._id;
    if (kind !== 'accounts' && kept.has(accountId)) {
      // The reason was reported with the account.
      continue;
    }
    if (!isSameDigest(recordKindOf(kind).digestOf(record), digests.get(record._id))) {
      keep(record._id, 'it was changed here');
    } else if (used?.has(record._id) || isDisabledHere(record)) {
      keep(record._id, used?.get(record._id) ?? 'it was disabled here');
    } else {
      removable.push(record);
    }
  }
  const left = await remove(context, kind, removable);
  for (const id of left) {
    keep(id, 'it was changed here');
  }
  result.removed[kind] += removable.length - left.size;
}

/** True for an account that an operator or its owner has closed, not the absence of its row. */
function isDisabledHere(record: AnyRecord): boolean {
  const { disabledAt, legacyAbsence } = record as StoredAccount;
  return Boolean(legacyAbsence ? legacyAbsence.disabledAt : disabledAt);
}

/** Why accounts stay that nobody has changed, by their ids: they have tokens that the gateway has issued, or were reviewed. */
async function useOf({ models }: LegacyContext, ids: readonly string[]): Promise<Map<string, string>> {
  const tokens = await collectionOf(models, 'tokens')
    .find({ accountId: { $in: [...ids] }, imported: { $exists: false } }, { projection: { accountId: 1 } })
    .toArray();
  const reviewed = {
    $or: [{ 'verification.decidedAt': { $type: 'date' } }, { resubmitted: { $type: 'object' } }],
  };
  const profiles = await findRecords(
    models,
    'profiles',
    { _id: { $in: [...ids] }, ...reviewed },
    { projection: { _id: 1 } },
  );
  return new Map([
    ...profiles.map(({ _id }) => [_id, 'it was reviewed here'] as const),
    ...tokens.map(({ accountId }) => [accountId, 'it has new tokens here'] as const),
  ]);
}

/** @returns the ids of the records that are left */
async function remove(
  context: LegacyContext,
  kind: Kind,
  records: readonly AnyRecord[],
): Promise<Set<string>> {
  if (kind === 'accounts') {
    return removeAccounts(context, records as never);
  }
  if (kind === 'profiles') {
    for (const { _id } of records) {
      await context.stores.doctors.removeWithFiles(_id, context.documents);
    }
  } else {
    const ids = records.map(({ _id }) => _id);
    await context.models.tokens.deleteMany({ _id: { $in: ids } });
  }
  return new Set();
}
