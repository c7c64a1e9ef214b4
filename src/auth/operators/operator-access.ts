import { type Account, type AdministeredAccount, ROLES, STAFF_ROLES } from '../../stores/accounts.ts';
import type { AuditedAct } from '../../stores/audit-events.ts';
import type { Clock } from '../../system/clock.ts';
import { InsufficientAccessError, InsufficientAuthenticationError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountSubject, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import { meets } from '../tokens/assurance.ts';
import type { Sessions } from '../tokens/sessions.ts';

/** How long ago an operator may have logged in, or proved who they are, in seconds. */
const MAX_AGE_SECONDS = { read: 12 * 3_600, change: 900 } as const;

interface OperatorAccessParts {
  sessions: Sessions;
  actThrottle: ActThrottle;
  acts: RecordedActs;
  audit: AuditTrail;
  clock: Clock;
  log: Logger;
}

/** Says who may act as an operator, on whom, and how often. */
export class OperatorAccess {
  constructor(private readonly parts: OperatorAccessParts) {}

  /**
   * The operator who reads.
   * @param audited as what a refusal is recorded (OWASP ASVS 16.3.2)
   * @throws UnauthenticatedError; InsufficientAccessError for everybody but operators; InsufficientAuthenticationError without a second
   *   factor, or 12 hours after its last proof
   */
  authorizeReading(caller: Caller, audited: AuditedAct = 'reading'): Promise<Account> {
    return this.#authorize('read', audited, caller);
  }

  /**
   * The operator who changes something. Counts the change.
   * @throws as {@link authorizeReading}, 15 minutes after the last proof; TooManyAttemptsError
   */
  async authorizeChange(caller: Caller, audited: AuditedAct): Promise<Account> {
    const { actThrottle, acts } = this.parts;
    const operator = await this.#authorize('change', audited, caller);
    await acts.recordRefusal({ act: audited, byAccountId: operator.id }, caller, () =>
      caller.timeBudget.within(() => actThrottle.count('operator-changes', operator.id)),
    );
    return operator;
  }

  async #authorize(
    kind: keyof typeof MAX_AGE_SECONDS,
    audited: AuditedAct,
    caller: Caller,
  ): Promise<Account> {
    const { sessions, acts, clock } = this.parts;
    const { account, token } = await sessions.authorize({ needs: 'token' }, caller);
    await acts.recordRefusal({ act: audited, byAccountId: account.id }, caller, async () => {
      if (account.role !== ROLES.OPERATOR) {
        throw new InsufficientAccessError('role', 'no operator');
      }
      const needs = { acr: 'aal2', maxAgeSeconds: MAX_AGE_SECONDS[kind] } as const;
      if (!meets(token, needs, clock.now())) {
        throw new InsufficientAuthenticationError(needs);
      }
    });
    return account;
  }

  /**
   * Counts an account that an operator opens, or a page of the audit trail or of the acts that wait: each is about people.
   * @throws TooManyAttemptsError
   */
  async countOpened(operator: Account, caller: Caller): Promise<void> {
    const { actThrottle, acts } = this.parts;
    await acts.recordRefusal({ act: 'reading', byAccountId: operator.id }, caller, () =>
      caller.timeBudget.within(() => actThrottle.count('opened-accounts', operator.id)),
    );
    await this.noteReading(operator, caller);
  }

  /** Counts what an operator reads about people, and records if it is very much: somebody may be copying all of it. */
  async noteReading({ id }: Account, caller: Caller): Promise<void> {
    const { actThrottle, audit, log } = this.parts;
    if (await caller.timeBudget.within(() => actThrottle.hasReadMuch(id))) {
      log.warn({ accountId: id }, 'an operator has read about very many people within an hour');
      await audit.write({ act: 'many readings', byAccountId: id }, caller);
    }
  }

  /**
   * Operators change nothing in the accounts of operators and reviewers: only the command line does.
   * @throws InsufficientAccessError
   */
  async refuseStaff(
    account: AdministeredAccount,
    operator: Account,
    audited: AuditedAct,
    caller: Caller,
  ): Promise<void> {
    const subject = { ...accountSubject(audited, account), byAccountId: operator.id };
    await this.parts.acts.recordRefusal(subject, caller, async () => {
      if (STAFF_ROLES.includes(account.role)) {
        throw new InsufficientAccessError('role', 'an account of an operator or a reviewer');
      }
    });
  }
}
