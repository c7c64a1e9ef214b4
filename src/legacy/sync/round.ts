import { CounterRaiser } from '../import/raise-counters.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { erasedAccounts } from '../records/erased-accounts.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** What one round of `sync` has done with the rows of a kind. */
export interface KindChanges {
  added: number;
  changed: number;
  removed: number;
}

export type RoundChanges = Record<Kind, KindChanges>;

/** The state of one round. */
export interface Round {
  context: LegacyContext;
  run: string;
  /** The time of the round: tokens that have expired until then are not taken. */
  now: Date;
  /** The ids of the accounts that were erased here. */
  erased: ReadonlySet<string>;
  changes: RoundChanges;
  counters: CounterRaiser;
  /** True until the accounts of the legacy database are known: new tokens wait for them. */
  isBeforeAccounts: boolean;
  /** The batches of tokens with rows that wait for their accounts. */
  waiting: Set<number>;
  /** The batches of accounts with rows that could not be changed, and those rows. */
  blocked: Map<number, Set<string>>;
}

const nothing = (): KindChanges => ({ added: 0, changed: 0, removed: 0 });

export const newRound = async (context: LegacyContext, run: string): Promise<Round> => ({
  context,
  run,
  now: new Date(context.clock.now()),
  erased: await erasedAccounts(context.models),
  changes: { accounts: nothing(), profiles: nothing(), tokens: nothing() },
  counters: new CounterRaiser(context.connection, context.source),
  isBeforeAccounts: true,
  waiting: new Set(),
  blocked: new Map(),
});
