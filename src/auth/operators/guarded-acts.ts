import { createHash } from 'node:crypto';
import { ROLES, type WithoutSecrets } from '../../stores/accounts.ts';
import {
  GUARDED_MILLIS,
  type GuardedAct,
  type OperatorActStore,
  REQUESTED_MILLIS,
  type RequestedAct,
  type StoredOperatorActs,
} from '../../stores/operator-acts.ts';
import type { Clock } from '../../system/clock.ts';
import { ConflictError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { Actor } from '../caller.ts';

/*
 * No operator opens the account of somebody else: not by a changed e-mail, a removed second factor and a link to a new password. So on one
 * account, within seven days, another operator must confirm the second of these acts. The same act twice gives no more than once.
 */

/** An account as an operator has read it, with what operators have done with it. */
export interface SeenAccount {
  account: WithoutSecrets;
  acts: StoredOperatorActs | undefined;
}

/**
 * What an operator has seen of an account: another value after each change of its state, its role or its e-mail, and after each change by an
 * operator. What its owner can change again and again is not in it: nobody must keep operators from an account.
 */
export function versionOf({ account, acts }: SeenAccount): string {
  const { role, email, disabledAt, erasureDueAt, erasingSince, legacyAbsence } = account;
  const state = [role, email, disabledAt, erasureDueAt, erasingSince, legacyAbsence?.since];
  const seen = [...state, acts?.changeId].map((value) => value ?? null);
  return createHash('sha256').update(JSON.stringify(seen)).digest('base64url');
}

/** The act that waits for another operator; undefined if none does, or it has waited too long. */
export const requestedOf = (acts: StoredOperatorActs | undefined, now: Date): RequestedAct | undefined =>
  acts?.requested && now.getTime() - acts.requested.at.getTime() < REQUESTED_MILLIS
    ? acts.requested
    : undefined;

/** True for who may ask for an act: nobody confirms that of somebody who is no operator any more. */
export const isActiveOperator = (account: WithoutSecrets | undefined): account is WithoutSecrets =>
  account?.role === ROLES.OPERATOR && !account.disabledAt;

/** True if another of the guarded acts was done lately. */
export const needsAnother = (act: GuardedAct, acts: StoredOperatorActs | undefined, now: Date): boolean =>
  (acts?.done ?? []).some((done) => done.act !== act && now.getTime() - done.at.getTime() < GUARDED_MILLIS);

/**
 * Refuses an operator who has not seen the present state of an account.
 * @throws ConflictError
 */
export function refuseOutdated(seen: SeenAccount, version: string): void {
  if (versionOf(seen) !== version) {
    throw changedMeanwhile();
  }
}

export const changedMeanwhile = (): ConflictError =>
  new ConflictError('Somebody else has changed the account. Look at it again.');

/**
 * Notes a guarded act of the command line. It needs no other operator, and counts like one of the API. The act is done by now, so it
 * succeeds even if this fails.
 */
export async function noteCommand(
  acts: OperatorActStore,
  accountId: string,
  act: GuardedAct,
  { actor, clock, log }: { actor: Actor; clock: Clock; log: Logger },
): Promise<void> {
  if (actor.accountId === undefined) {
    await acts.note(accountId, act, new Date(clock.now())).catch((err: unknown) => {
      log.warn(
        { err, accountId },
        'an act was not noted: the next one on this account needs no other operator',
      );
    });
  }
}
