import { CounterRaiser } from '../import/raise-counters.ts';
import type { LegacyContext } from '../legacy-context.ts';
import type { Conversion } from '../records/legacy-record.ts';
import type { Exchange } from '../rings.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { type Surveys, surveyAll } from './survey.ts';

/** What one round of `sync` has done with the rows of a kind. */
export interface KindChanges {
  added: number;
  changed: number;
  /** Only tokens are removed. */
  removed: number;
  /** Accounts that the legacy service does not have any more. */
  marked: number;
  /** Accounts that it has again. */
  returned: number;
}

export type RoundChanges = Record<Kind | 'files', KindChanges>;

/** The state of one round. */
export interface Round {
  context: LegacyContext;
  run: string;
  /** The time of the round: tokens that have expired until then are not taken. */
  now: Date;
  conversion: Conversion;
  surveys: Surveys;
  changes: RoundChanges;
  counters: CounterRaiser;
  /** True until the accounts of the legacy database are known: new tokens wait for them. */
  isBeforeAccounts: boolean;
  /** The batches of tokens with rows that wait for their accounts. */
  waiting: Set<number>;
  /** The batches of accounts with rows that could not be stored because another account has their e-mail, and these. */
  blocked: Map<number, Exchange[]>;
}

const nothing = (): KindChanges => ({ added: 0, changed: 0, removed: 0, marked: 0, returned: 0 });

/**
 * Begins a round. Nothing is changed yet.
 * @param accepted how many rows of each kind may be gone
 * @throws Refusal
 */
export async function newRound(
  context: LegacyContext,
  run: string,
  accepted: number | undefined,
): Promise<Round> {
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
