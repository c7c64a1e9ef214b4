import { UsageError } from '../../cli/command-line.ts';
import { pause, systemClock } from '../../system/clock.ts';
import { messageOf } from '../../system/system-errors.ts';
import { refuseMixedTokens, requireImport } from '../import/plan-import.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { LegacyError, Stopped } from '../legacy-error.ts';
import type { RoundChanges } from '../sync/round.ts';
import { sync } from '../sync/sync.ts';
import type { ComparedFiles } from '../sync/sync-files.ts';
import { withContext } from './open-context.ts';
import { type LegacyInvocation, type LegacyOptions, legacyOptions, type PrepareAction } from './options.ts';
import { asRun, type RunCounts, takeLock } from './with-run.ts';

/** Reads the options of the command `sync`. */
export const prepareTask: PrepareAction = (options) => {
  const given = {
    legacy: legacyOptions(options),
    isWatching: options.watch ?? false,
    acceptedRemovals: acceptedRemovals(options['accept-removals']),
  };
  return (invocation) => runSync(invocation, given);
};

/** @throws UsageError */
function acceptedRemovals(given: string | undefined): number | undefined {
  const count = given === undefined ? undefined : Number(given);
  if (given !== undefined && !/^\d{1,9}$/.test(given)) {
    throw new UsageError('--accept-removals must be a whole number.');
  }
  return count;
}

/** The options of `sync`. */
interface GivenSync {
  legacy: LegacyOptions;
  isWatching: boolean;
  /** How many rows of each kind may be gone; undefined: nine, or a tenth. */
  acceptedRemovals: number | undefined;
}

const PAUSE_MILLIS = 5_000;
const MAX_PAUSE_MILLIS = 60_000;

/** Runs the command `sync`. */
async function runSync(invocation: LegacyInvocation, given: GivenSync): Promise<void> {
  if (!given.isWatching) {
    await syncOnce(invocation, given);
    return;
  }
  try {
    await watch(invocation, given);
  } catch (error) {
    if (!(error instanceof Stopped)) {
      throw error;
    }
  }
}

const syncOnce = (invocation: LegacyInvocation, { legacy, acceptedRemovals }: GivenSync): Promise<void> =>
  open(invocation, legacy, (context) =>
    asRun(invocation, context, 'sync', async (reporting, { _id }) =>
      countsOf(await sync(reporting, _id, acceptedRemovals)),
    ),
  );

/**
 * Each loss of a database ends a run. The next one opens both databases again.
 * @throws Refusal if too many rows are gone
 */
async function watch(invocation: LegacyInvocation, { legacy, acceptedRemovals }: GivenSync): Promise<void> {
  const { output, signal } = invocation;
  let hasWorked = false;
  for (let pauseMillis = PAUSE_MILLIS; ; pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS)) {
    try {
      await open(invocation, legacy, async (context) => {
        hasWorked = true;
        await asRun(invocation, context, 'sync', (reporting, { _id }) =>
          rounds(invocation, reporting, {
            run: _id,
            acceptedRemovals,
            ended() {
              pauseMillis = PAUSE_MILLIS;
            },
          }),
        );
      });
    } catch (error) {
      if (signal.aborted || !hasWorked || error instanceof LegacyError) {
        throw signal.aborted ? signal.reason : error;
      }
      output.note(`The round failed: ${messageOf(error)}. The next one begins in ${pauseMillis / 1000} s.`);
    }
    await pause(systemClock, pauseMillis, signal);
  }
}

/** How rounds follow each other. */
interface Watching {
  run: string;
  acceptedRemovals: number | undefined;
  /** Called after each round. */
  ended(): void;
}

/** Rounds until the operator stops them. */
async function rounds(
  { output, signal }: LegacyInvocation,
  context: LegacyContext,
  { run, acceptedRemovals, ended }: Watching,
): Promise<RunCounts> {
  const total: Record<string, number> = {};
  const compared: ComparedFiles = {};
  while (!signal.aborted) {
    const began = performance.now();
    const counts = await sync(context, run, acceptedRemovals, compared).then(countsOf, (error: unknown) => {
      if (signal.aborted) {
        return {} as RunCounts;
      }
      throw error;
    });
    for (const [name, count] of Object.entries(counts)) {
      total[name] = (total[name] ?? 0) + count;
    }
    ended();
    const seconds = Math.round(performance.now() - began) / 1000;
    const changes = Object.entries(counts).filter(([, count]) => count > 0);
    const shown = changes.map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing has changed';
    const at = new Date(context.clock.now());
    output.line({
      text: `${at.toISOString()}  ${shown}  (${seconds} s)`,
      json: { event: 'round', run, at, seconds, counts },
    });
    await pause(systemClock, PAUSE_MILLIS, signal).catch(() => {});
  }
  return total;
}

const open = <T>(
  invocation: LegacyInvocation,
  legacy: LegacyOptions,
  act: (context: LegacyContext) => Promise<T>,
): Promise<T> =>
  withContext(invocation, legacy, 'beside', async (context) => {
    const policy = await requireImport(context, { timeZone: legacy.timeZone, needsFiles: true });
    await refuseMixedTokens(context);
    await takeLock(context);
    return act({ ...context, policy });
  });

const countsOf = (changes: RoundChanges): RunCounts =>
  Object.fromEntries(
    Object.entries(changes).flatMap(([kind, { added, changed, removed, marked, returned }]) => [
      [`${kind} added`, added],
      [`${kind} changed`, changed],
      [`${kind} removed`, removed],
      [`${kind} gone`, marked],
      [`${kind} returned`, returned],
    ]),
  );
