import { UsageError } from '../../cli/command-line.ts';
import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import type { StoredAccount } from '../../stores/accounts.ts';
import type { DoctorProfile, DocumentRemover } from '../../stores/doctors.ts';
import type { Stores } from '../../stores/stores.ts';
import { KeySet } from '../import/key-set.ts';
import { type Batch, NOT_TAKEN, wasTaken } from '../journal/batch.ts';
import { finishRemovals } from '../journal/earlier-runs.ts';
import type { Run } from '../journal/runs.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { LegacyError } from '../legacy-error.ts';
import { ACCOUNTS, isDisabledHere } from '../records/account-kind.ts';
import { isSameDigest } from '../records/legacy-record.ts';
import { PROFILES } from '../records/profile-kind.ts';
import type { RecordKind } from '../records/record-kind.ts';
import { TOKENS } from '../records/token-kind.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { withContext } from './open-context.ts';
import { type LegacyInvocation, type LegacyOptions, legacyOptions, type PrepareAction } from './options.ts';
import { findingLines, RunReport } from './run-report.ts';
import { confirm, countLines, observed, takeLock } from './with-run.ts';

/** Reads the options of the command `undo`. */
export const prepareTask: PrepareAction = (options) => {
  const { run, yes = false } = options;
  if (!run) {
    throw new UsageError('The option --run ID is missing.');
  }
  const given = { legacy: legacyOptions(options), run, isConfirmed: yes };
  return (invocation) => runUndo(invocation, given);
};

/** The options of `undo`. */
interface GivenUndo {
  legacy: LegacyOptions;
  run: string;
  isConfirmed: boolean;
}

/** Runs the command `undo`. */
const runUndo = (invocation: LegacyInvocation, { legacy, run: id, isConfirmed }: GivenUndo): Promise<void> =>
  withContext(invocation, legacy, 'beside', async (context) => {
    const run = await requireRun(context, id);
    if (!isConfirmed) {
      await confirm(invocation, `Take back the ${run.command} ${id}?`);
    }
    await takeLock(context);
    const report = await RunReport.open(invocation.config.legacy.reportsDir, `${id}-undo`);
    try {
      const { removed, kept } = await undo(
        observed(context, invocation, (finding) => report.found(finding)),
        id,
      );
      const named = Object.entries(removed).map(([kind, count]) => [`${kind} removed`, count]);
      const counts = { ...Object.fromEntries(named), kept };
      const { groups } = report.counts;
      const text = [`undo of ${run.command} ${id}`, ...countLines(counts), ...findingLines(groups)];
      const json = {
        event: 'summary',
        command: 'undo',
        run: id,
        counts,
        findings: groups,
        folder: report.folder,
      };
      await report.summarize(text, json);
      invocation.output.line({ text, json });
    } finally {
      report.close();
    }
  });

/** How many records and documents were removed. The store had each of these documents. */
type Removed = Record<Kind | 'files', number>;

/** What `undo` has removed and kept. */
interface UndoResult {
  /** With all that belonged to removed accounts, whichever run has added it. */
  removed: Removed;
  kept: number;
}

/**
 * Finds the run that is to be taken back.
 * @throws Refusal
 */
async function requireRun({ journal }: Pick<LegacyContext, 'journal'>, id: string): Promise<Run> {
  const runs = await journal.runs.all();
  const run = runs.find(({ _id }) => _id === id);
  if (!run || run.command === 'back') {
    const known = runs.filter(({ command }) => command !== 'back').map(({ _id }) => _id);
    throw new LegacyError(
      `${run ? `${id} is a run of back, which is not taken back here` : `There is no run ${id}`}. ` +
        `Runs: ${known.join(', ') || 'none'}`,
    );
  }
  return run;
}

/** What has become of records that were to be removed. */
interface Undone {
  /** The ids of the records that are left, because they were changed in this moment. */
  left: Set<string>;
  /** How many records were removed, with all that belonged to them. */
  removed: Partial<Record<Kind, number>>;
}

/** Where records and documents are removed. */
interface Target {
  stores: Stores;
  documents: DocumentRemover;
}

/** How the records of a kind are taken back. */
interface Undoing<T extends { _id: string }> {
  kind: RecordKind<T>;
  remove(target: Target, records: readonly T[]): Promise<Undone>;
  /** Why records stay that nobody has changed, by their ids. */
  reasonsToKeep?(context: LegacyContext, records: readonly T[]): Promise<ReadonlyMap<string, string>>;
}

const UNDO_ACCOUNTS: Undoing<StoredAccount> = {
  kind: ACCOUNTS,
  remove: removeAccounts,
  reasonsToKeep: useOf,
};
const UNDO_PROFILES: Undoing<DoctorProfile> = { kind: PROFILES, remove: removeProfiles };
const UNDO_TOKENS: Undoing<StoredAccessToken> = { kind: TOKENS, remove: removeTokens };

/** What the parts of `undo` share. */
interface UndoState {
  run: string;
  result: UndoResult;
  target: Target;
  /** The accounts that stay. */
  kept: KeySet;
}

/**
 * Takes back what a run has added and nobody has changed since: accounts with profile, documents and tokens. Only at its end
 * the run is forgotten, so after a kill the same command continues.
 *
 * An account that is used here stays with all that belongs to it. What a `sync` has changed or removed stays so.
 */
export async function undo(context: LegacyContext, run: string): Promise<UndoResult> {
  const { journal, stores } = context;
  const result: UndoResult = { removed: { accounts: 0, profiles: 0, tokens: 0, files: 0 }, kept: 0 };
  const documents = counting(context.documents, result.removed);
  const state = { run, result, target: { stores, documents }, kept: new KeySet() };
  await finishRemovals(context);
  await undoKind(context, state, UNDO_ACCOUNTS);
  await undoKind(context, state, UNDO_PROFILES);
  await undoKind(context, state, UNDO_TOKENS);
  for await (const { rows } of journal.batchesOf(run, 'files')) {
    const paths = rows.filter(({ digest }) => digest !== NOT_TAKEN).map(({ key }) => key);
    await stores.doctors.removeUnnamedFiles(paths, documents);
  }
  await journal.removeRun(run);
  return result;
}

async function undoKind<T extends { _id: string }>(
  context: LegacyContext,
  state: UndoState,
  undoing: Undoing<T>,
): Promise<void> {
  const { journal, observer, signal } = context;
  const { name } = undoing.kind;
  let done = 0;
  for await (const batch of journal.batchesOf(state.run, name)) {
    signal.throwIfAborted();
    await undoBatch(context, state, undoing, batch);
    done += batch.rows.length;
    observer.progress(name, done, undefined);
  }
}

async function undoBatch<T extends { _id: string }>(
  context: LegacyContext,
  { result, target, kept }: UndoState,
  { kind, remove, reasonsToKeep }: Undoing<T>,
  { rows }: Batch,
): Promise<void> {
  const digests = new Map(rows.filter(wasTaken).map(({ key, digest }) => [key, digest]));
  const stored = [...(await kind.stored(context.stores).byIds([...digests.keys()])).values()];
  const reasons = await reasonsToKeep?.(context, stored);
  const keep = (id: string, reason: string) => {
    result.kept += 1;
    context.observer.found({ kind: kind.name, id, outcome: 'kept', reason });
    if (kind.name === 'accounts') {
      kept.add(id);
    }
  };
  const removable: T[] = [];
  // The reason was reported with the account.
  for (const record of stored.filter((one) => !kept.has(kind.accountIdOf(one)))) {
    const isChanged = !isSameDigest(kind.digestOf(record), digests.get(record._id));
    const reason = isChanged ? 'it was changed here' : reasons?.get(record._id);
    if (reason === undefined) {
      removable.push(record);
    } else {
      keep(record._id, reason);
    }
  }
  const { left, removed } = await remove(target, removable);
  for (const id of left) {
    keep(id, 'it was changed here');
  }
  addTo(result.removed, removed);
}

/** Accounts that have tokens that the gateway has issued, that were reviewed, or that were disabled here. */
async function useOf(
  { stores }: LegacyContext,
  accounts: readonly StoredAccount[],
): Promise<ReadonlyMap<string, string>> {
  const ids = accounts.map(({ _id }) => _id);
  const tokens = (await TOKENS.ofAccounts(stores, ids)).filter((token) => !TOKENS.isImported(token));
  const profiles = [...(await PROFILES.stored(stores).byIds(ids)).values()];
  const reviewed = profiles.filter(({ verification, resubmitted }) => verification?.decidedAt || resubmitted);
  return new Map([
    ...accounts.filter(isDisabledHere).map(({ _id }) => [_id, 'it was disabled here'] as const),
    ...reviewed.map(({ _id }) => [_id, 'it was reviewed here'] as const),
    ...tokens.map(({ accountId }) => [accountId, 'it has new tokens here'] as const),
  ]);
}

/** Adds numbers to those of the same names. */
function addTo(sum: Removed, { accounts = 0, profiles = 0, tokens = 0 }: Undone['removed']): void {
  sum.accounts += accounts;
  sum.profiles += profiles;
  sum.tokens += tokens;
}

/** Counts the documents that are removed, and that were there. */
const counting = (documents: LegacyContext['documents'], removed: Removed): DocumentRemover => ({
  remove: async (path) => {
    const content = await documents.open(path);
    content?.destroy();
    await documents.remove(path);
    removed.files += content ? 1 : 0;
  },
});

/**
 * Removes accounts with their profiles, documents and tokens. The accounts go first: what belongs to them is then invisible,
 * so nobody sees half of it, even after a crash.
 */
async function removeAccounts(
  { stores, documents }: Target,
  accounts: readonly StoredAccount[],
): Promise<Undone> {
  const left = await ACCOUNTS.stored(stores).removeIfUnchanged(accounts);
  const ids = accounts.map(({ _id }) => _id).filter((id) => !left.has(id));
  const tokens = await TOKENS.ofAccounts(stores, ids);
  const tokensLeft = await TOKENS.stored(stores).removeIfUnchanged(tokens);
  const removed = { accounts: ids.length, profiles: 0, tokens: tokens.length - tokensLeft.size };
  for (const id of (await PROFILES.stored(stores).byIds(ids)).keys()) {
    removed.profiles += (await stores.doctors.removeWithFiles(id, documents)) ? 1 : 0;
  }
  return { left, removed };
}

async function removeProfiles(
  { stores, documents }: Target,
  profiles: readonly DoctorProfile[],
): Promise<Undone> {
  const left = new Set<string>();
  for (const profile of profiles) {
    if (!(await stores.doctors.removeWithFiles(profile._id, documents, profile))) {
      left.add(profile._id);
    }
  }
  return { left, removed: { profiles: profiles.length - left.size } };
}

async function removeTokens({ stores }: Target, tokens: readonly StoredAccessToken[]): Promise<Undone> {
  const left = await TOKENS.stored(stores).removeIfUnchanged(tokens);
  return { left, removed: { tokens: tokens.length - left.size } };
}
