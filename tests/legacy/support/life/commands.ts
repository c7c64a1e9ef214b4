import { type BackResult, back } from '../../../../src/legacy/back/back.ts';
import { importLegacy } from '../../../../src/legacy/import/import-legacy.ts';
import { beginRun, planImport } from '../../../../src/legacy/import/plan-import.ts';
import type { LegacyContext } from '../../../../src/legacy/legacy-context.ts';
import type { RoundChanges } from '../../../../src/legacy/sync/round.ts';
import { sync } from '../../../../src/legacy/sync/sync.ts';
import { type VerifyResult, verify } from '../../../../src/legacy/verify.ts';
import { Killed } from '../../../support/kill-switch.ts';
import { testClock } from '../../../support/test-app.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

const OPTIONS = { admins: 'skip', doctors: 'pending', timeZone: 'UTC' } as const;
/** A life may remove all that there is. */
const ANY_NUMBER = 1_000_000;
const now = () => new Date(testClock.now());

/** How a command ends: by itself, or killed after some exchanges with the databases. */
type Kill = number | undefined;

async function unlessKilled<T>(act: () => Promise<T>): Promise<T | 'killed'> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Killed) {
      return 'killed';
    }
    throw error;
  }
}

/** Called with the context of a command before it begins. */
type Prepare = (context: LegacyContext) => void;

export const runImport = (world: World, kill: Kill, prepare?: Prepare): Promise<unknown> =>
  unlessKilled(() =>
    world.command(kill, async (context) => {
      prepare?.(context);
      const plan = await planImport(context, OPTIONS);
      if (plan.kind !== 'done') {
        const { _id } = await beginRun(context.journal, plan, now());
        await importLegacy(context, _id);
        await context.journal.runs.end(_id, now());
      }
    }),
  );

export const runSync = (world: World, kill?: Kill, prepare?: Prepare): Promise<RoundChanges | 'killed'> =>
  unlessKilled(() =>
    world.command(kill, async (context) => {
      prepare?.(context);
      const { _id } = await context.journal.runs.begin('sync', now());
      return sync(context, _id, ANY_NUMBER);
    }),
  );

export const runBack = (world: World, kill?: Kill): Promise<BackResult | 'killed'> =>
  unlessKilled(() =>
    world.command(kill, async (context) => {
      const { _id } = await context.journal.runs.begin('back', now());
      return back(context, { run: _id, timeZone: 'UTC', hasEndedBySettings: () => false, isDryRun: false });
    }),
  );

export const runVerify = (world: World): Promise<VerifyResult> =>
  world.command(undefined, (context) => verify(context, undefined));

/** Before the first of them, a command has only read. */
const FIRST_EXCHANGE = 8;

/** Where a command is killed, if it is. */
export const someKill = (random: Random): Kill =>
  random.percent(40) ? FIRST_EXCHANGE + random.below(60) : undefined;

/** Where a `sync` is killed among its writes: it has read what has changed before. */
export const killAmongWrites = (random: Random): number => 24 + random.below(36);
