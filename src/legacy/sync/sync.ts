import { CounterRaiser } from '../import/insert-records.ts';
import { finishRemovals, rememberNotedInserts, renewSums } from '../journal/earlier-runs.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { settleBlocked } from './blocked-accounts.ts';
import { syncNew } from './new-rows.ts';
import type { KindChanges, Round, RoundChanges } from './round.ts';
import { markAbsent, surveyAll } from './survey.ts';
import { syncBatch } from './sync-batch.ts';
import { type ComparedFiles, syncMissingFiles, syncNamedFiles } from './sync-files.ts';

/**
 * Brings the gateway up to date with the legacy database: takes what was added, changes what was changed, marks the accounts that
 * are gone, revokes tokens. What was changed here wins. It can be stopped or killed at any moment, and then run again.
 *
 * The tokens come first, because revoking one is urgent; new tokens come last, because they need their accounts.
 * @param run the id of the run, for what it adds
 * @param accepted how many rows of each kind may be gone; undefined: nine, or a tenth
 * @param compared the files that rounds before have compared; only rounds that follow each other share them
 * @throws Refusal if more are gone, before the first change
 */
export async function sync(
  context: LegacyContext,
  run: string,
  accepted?: number,
  compared: ComparedFiles = {},
): Promise<RoundChanges> {
  await finishRemovals(context);
  await renewSums(context);
  await rememberNotedInserts(context, run);
  const round = await newRound(context, run, accepted);
  await round.counters.raiseAll();
  await syncKnown(round, 'tokens');
  round.isBeforeAccounts = false;
  await markAbsent(round);
  await syncKnown(round, 'accounts', true);
  await settleBlocked(round);
  await syncNew(round, 'accounts');
  const note = await context.journal.notes.changedAccounts();
  const triesAgain = note !== undefined;
  await syncKnown(round, 'profiles', triesAgain);
  await syncNew(round, 'profiles');
  await syncWaiting(round, triesAgain);
  await syncNew(round, 'tokens');
  await syncMissingFiles(round);
  await syncNamedFiles(round, compared);
  if (triesAgain) {
    await context.journal.notes.forgetChangedAccounts(note);
  }
  return round.changes;
}

/**
 * Begins a round. Nothing is changed yet.
 * @param accepted how many rows of each kind may be gone
 * @throws Refusal
 */
async function newRound(context: LegacyContext, run: string, accepted: number | undefined): Promise<Round> {
  const { readTime, policy, stores, source } = context;
  const now = new Date(context.clock.now());
  const conversion = { readTime, now, policy, erased: await stores.erasures.ids() };
  return {
    context,
    run,
    now,
    conversion,
    surveys: await surveyAll(context, conversion, accepted),
    changes: { accounts: nothing(), profiles: nothing(), files: nothing(), tokens: nothing() },
    counters: new CounterRaiser(stores.ids, source),
    isBeforeAccounts: true,
    waiting: new Set(),
    blocked: new Map(),
  };
}

const nothing = (): KindChanges => ({ added: 0, changed: 0, removed: 0, marked: 0, returned: 0 });

/**
 * Treats the batches of a kind that have changed.
 * @param triesAgain true: also those with rows that wait for something else
 */
async function syncKnown(round: Round, kind: Kind, triesAgain = false): Promise<void> {
  const { observer, signal } = round.context;
  const { ranges, changed } = round.surveys[kind];
  // A document that one profile gives up may be the new one of another: it is removed before that one looks for it, or stays.
  const running = new Running(kind === 'profiles' ? 1 : undefined);
  try {
    let done = 0;
    for (const [index, range] of ranges.entries()) {
      signal.throwIfAborted();
      if (changed.has(range.number) || (triesAgain && range.waiting > 0)) {
        await running.add(syncBatch(round, kind, { range, after: ranges[index - 1]?.upTo, triesAgain }));
      }
      done += range.count;
      observer.progress(kind, done, undefined);
    }
  } finally {
    await running.end();
  }
}

/** Treats the batches of tokens again whose rows had to wait for their accounts. */
async function syncWaiting(round: Round, triesAgain: boolean): Promise<void> {
  if (round.waiting.size === 0 && !triesAgain) {
    return;
  }
  const ranges = await round.context.journal.ranges('tokens');
  for (const [index, range] of ranges.entries()) {
    if (round.waiting.has(range.number) || (triesAgain && range.waiting > 0)) {
      round.context.signal.throwIfAborted();
      await syncBatch(round, 'tokens', { range, after: ranges[index - 1]?.upTo, triesAgain: true });
    }
  }
}

/** How many batches are treated at a time. Their commits share the flushes of the disk, which cost most of the time. */
const MAX_RUNNING = 8;

/** Work that runs at the same time. */
class Running {
  readonly #works = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  /** @param most how many works run at a time */
  constructor(private readonly most = MAX_RUNNING) {}

  /**
   * Adds a work, after the end of another one if there are many.
   * @throws the failure of an earlier work
   */
  async add(work: Promise<void>): Promise<void> {
    const noted = work
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#works.delete(noted));
    this.#works.add(noted);
    if (this.#works.size >= this.most) {
      await Promise.race(this.#works);
    }
    this.#throwFailure();
  }

  /**
   * Waits for all works.
   * @throws the first failure
   */
  async end(): Promise<void> {
    await Promise.all(this.#works);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) {
      throw this.#failure.error;
    }
  }
}
