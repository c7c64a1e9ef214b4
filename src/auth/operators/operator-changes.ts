import { type Account, type AccountStore, newId, toAdministered } from '../../stores/accounts.ts';
import type { AuditedAct } from '../../stores/audit-events.ts';
import type {
  GuardedAct,
  OperatorActStore,
  OperatorChange,
  RequestedAct,
} from '../../stores/operator-acts.ts';
import type { Clock } from '../../system/clock.ts';
import { InsufficientAccessError, NotFoundError, ServiceError } from '../../system/errors.ts';
import type { AccountAdmin, TokenAdmin } from '../admin/account-admin.ts';
import type { ErasureAdmin } from '../admin/erasure-admin.ts';
import type { MailAdmin } from '../admin/mail-admin.ts';
import type { TwoFactorAdmin } from '../admin/two-factor-admin.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountSubject, type RecordedActs, recordedByOperator } from '../audit/recorded-acts.ts';
import type { Actor, Caller } from '../caller.ts';
import type { ResetLinks } from '../passwords/password-reset-tokens.ts';
import { presentPersonalData } from '../privacy/personal-data.ts';
import { commit } from '../running-act.ts';
import {
  changedMeanwhile,
  isActiveOperator,
  needsAnother,
  refuseOutdated,
  requestedOf,
  type SeenAccount,
} from './guarded-acts.ts';
import type { OperatorAccess } from './operator-access.ts';
import type { AccountDetails, OperatorQueries } from './operator-queries.ts';

/** A change of an account, as an operator asks for it. */
export interface AskedChange {
  /** The id of the account. */
  account: string;
  /** What the operator has seen of it ({@link AccountDetails.version}). */
  version: string;
  /** One line, for the audit trail. */
  reason: string;
}

type Known = ReturnType<typeof toAdministered>;

/** Does a change to an account, and records it. */
type Run = (account: Known, actor: Actor, asked: AskedChange) => Promise<unknown>;

type PlainChange = 'disabling' | 'enabling' | 'unlocking' | 'revocation' | 'closing';

interface OperatorChangesParts {
  operatorAccess: OperatorAccess;
  operatorQueries: OperatorQueries;
  accounts: AccountStore;
  operatorActs: OperatorActStore;
  accountAdmin: AccountAdmin;
  tokenAdmin: TokenAdmin;
  twoFactorAdmin: TwoFactorAdmin;
  mailAdmin: MailAdmin;
  resetLinks: ResetLinks;
  erasureAdmin: ErasureAdmin;
  acts: RecordedActs;
  audit: AuditTrail;
  clock: Clock;
}

/**
 * What operators change in the accounts of other people. Each change needs a second factor that was proved in the last 15 minutes, a reason, and
 * the version of the account that the operator has seen. The record of `operator_acts` is changed first, so of two at once one gets CONFLICT; a
 * kill after it leaves a guarded act noted that was not done, which is the safe side. The acts themselves are those of the command line.
 */
export class OperatorChanges {
  readonly #plain: Record<PlainChange, Run>;
  readonly #guarded: Record<GuardedAct, Run>;

  constructor(private readonly parts: OperatorChangesParts) {
    const { accountAdmin, erasureAdmin, resetLinks, tokenAdmin, twoFactorAdmin } = parts;
    this.#plain = {
      disabling: (account, actor) => accountAdmin.disable(account, actor),
      enabling: (account, actor) => accountAdmin.enable(account, actor),
      unlocking: (account, actor) => accountAdmin.unlock(account, actor),
      revocation: (account, actor) => tokenAdmin.revokeAll(account, actor),
      closing: (account, actor) => erasureAdmin.close(account, actor),
    };
    this.#guarded = {
      'e-mail change': (account, actor, asked) => accountAdmin.mailNewEmail(account, emailOf(asked), actor),
      'second factor reset': (account, { reason = '', ...actor }) =>
        twoFactorAdmin.remove(account, reason, actor),
      'reset link': async (account, actor) => {
        await resetLinks.mail(account.id, actor);
        await tokenAdmin.revokeAll(account, actor);
      },
    };
  }

  /** Does one of the changes that need no other operator. @throws as {@link #change} */
  make = (act: PlainChange, asked: AskedChange, caller: Caller): Promise<AccountDetails> =>
    this.#change(act, asked, caller, this.#plain[act]);

  /**
   * Everything that the gateway holds about a person, in JSON, without links to documents ({@link ErasureAdmin.export}).
   * @throws as {@link #change}
   */
  async export(asked: AskedChange, caller: Caller): Promise<string> {
    let data: object = {};
    await this.#change('data export', asked, caller, async (account, actor) => {
      data = presentPersonalData(await this.parts.erasureAdmin.export(account, actor), undefined);
    });
    return JSON.stringify(data);
  }

  /**
   * Sends a mail to the owner again at once that waits for a later attempt ({@link MailAdmin.retry}).
   * @throws as {@link #change}; NotFoundError if it does not wait, or is to somebody else
   */
  resendMail = (mailId: string, asked: AskedChange, caller: Caller): Promise<AccountDetails> =>
    this.#change('mail retry', asked, caller, async (account, actor) => {
      const { mailAdmin } = this.parts;
      const waiting = await mailAdmin.waitingFor(account);
      if (!waiting.some(({ id }) => id === mailId)) {
        throw new NotFoundError('No mail of this id waits for this account.');
      }
      await mailAdmin.retry(mailId, actor);
    });

  /**
   * Does one of the acts that together open any account. If another of them was done in the last seven days, it only waits for another operator.
   * It takes the place of one that waits already.
   * @throws as {@link #change}; what the act throws
   */
  async guarded(
    act: GuardedAct,
    asked: AskedChange & { email?: string },
    caller: Caller,
  ): Promise<AccountDetails> {
    const operator = await this.parts.operatorAccess.authorizeChange(caller, act);
    const { seen, known } = await this.#find(asked, operator, act, caller);
    const now = new Date(this.parts.clock.now());
    const { reason, email } = asked;
    if (!needsAnother(act, seen.acts, now)) {
      return this.#run({ change: { act }, asked, operator, seen, known, caller }, this.#guarded[act]);
    }
    const requested: RequestedAct = {
      ...{ id: newId(), act, reason, requestedBy: operator.id, at: now },
      ...(email !== undefined && { email }),
    };
    return this.#run({ change: { requested }, asked, operator, seen, known, caller }, (account, actor) =>
      this.#record('act request', account, actor, act),
    );
  }

  /**
   * Confirms the act that waits, and does it.
   * @param requestId of that act
   * @throws as {@link #change}; NotFoundError if it does not wait any more; InsufficientAccessError for the operator who has asked for it
   */
  async confirm(requestId: string, asked: AskedChange, caller: Caller): Promise<AccountDetails> {
    const operator = await this.parts.operatorAccess.authorizeChange(caller, 'act confirmation');
    const { seen, known } = await this.#find(asked, operator, 'act confirmation', caller);
    const { act, email, reason, requestedBy } = this.#requested(seen, requestId);
    const asking = await this.parts.accounts.findById(requestedBy);
    if (requestedBy === operator.id || !isActiveOperator(asking)) {
      throw new InsufficientAccessError('role', 'the act needs two operators');
    }
    const change = { act, requested: null };
    return this.#run({ change, asked, operator, seen, known, caller }, async (account, actor) => {
      await this.#record('act confirmation', account, actor, act);
      const both = `${reason}, confirmed: ${asked.reason}`;
      const confirmed = { ...asked, ...(email !== undefined && { email }) };
      await this.#guarded[act](account, { ...actor, reason: both }, confirmed);
    });
  }

  /**
   * Declines the act that waits. The operator who has asked for it takes it back by this.
   * @throws as {@link #change}; NotFoundError if it does not wait any more
   */
  async decline(requestId: string, asked: AskedChange, caller: Caller): Promise<AccountDetails> {
    const operator = await this.parts.operatorAccess.authorizeChange(caller, 'act refusal');
    const { seen, known } = await this.#find(asked, operator, 'act refusal', caller);
    const { act } = this.#requested(seen, requestId);
    const change = { requested: null };
    return this.#run({ change, asked, operator, seen, known, caller }, (account, actor) =>
      this.#record('act refusal', account, actor, act),
    );
  }

  /**
   * @throws as OperatorAccess.authorizeChange; NotFoundError if nobody has the id; InsufficientAccessError for the accounts of operators and
   *   reviewers; ConflictError if the account has changed since the operator has seen it; what the act throws
   */
  async #change(act: AuditedAct, asked: AskedChange, caller: Caller, run: Run): Promise<AccountDetails> {
    const operator = await this.parts.operatorAccess.authorizeChange(caller, act);
    const { seen, known } = await this.#find(asked, operator, act, caller);
    return this.#run({ change: {}, asked, operator, seen, known, caller }, run);
  }

  async #find(
    { account: id, version }: AskedChange,
    operator: Account,
    act: AuditedAct,
    caller: Caller,
  ): Promise<{ seen: SeenAccount; known: Known }> {
    const { operatorAccess, operatorQueries } = this.parts;
    const seen = await caller.timeBudget.within(() => operatorQueries.seen(id));
    if (!seen) {
      throw new NotFoundError('No account has this id.');
    }
    const known = toAdministered(seen.account);
    await operatorAccess.refuseStaff(known, operator, act, caller);
    refuseOutdated(seen, version);
    return { seen, known };
  }

  /** The change is noted before it is made: of two operators with the same version, one is refused. */
  async #run(
    {
      change,
      asked,
      operator,
      seen,
      known,
      caller,
    }: {
      change: OperatorChange;
      asked: AskedChange;
      operator: Account;
      seen: SeenAccount;
      known: Known;
      caller: Caller;
    },
    run: Run,
  ): Promise<AccountDetails> {
    const { operatorActs, operatorQueries, acts, clock } = this.parts;
    const actor: Actor = { ...actorOf(caller), accountId: operator.id, reason: asked.reason };
    const details = await acts.complete(caller, async () => {
      const now = new Date(clock.now());
      if (!(await commit(() => operatorActs.change(known.id, seen.acts?.changeId, change, now)))) {
        throw changedMeanwhile();
      }
      await run(known, actor, asked).catch(async (error: unknown) => {
        // A refusal has changed nothing, so it does not count either.
        if (change.act && error instanceof ServiceError && error.status < SERVER_ERROR) {
          await operatorActs.takeBack(known.id, change.act, now);
        }
        throw error;
      });
      return { result: await operatorQueries.detailsOf(known.id), written: Promise.resolve() };
    });
    if (!details) {
      throw new NotFoundError('The account does not exist any more.');
    }
    return details;
  }

  #requested({ acts }: SeenAccount, requestId: string): RequestedAct {
    const requested = requestedOf(acts, new Date(this.parts.clock.now()));
    if (requested?.id !== requestId) {
      throw new NotFoundError('The act does not wait for another operator any more.');
    }
    return requested;
  }

  #record(act: AuditedAct, account: Known, actor: Actor, cause: string): Promise<void> {
    return recordedByOperator(
      this.parts.audit,
      { ...accountSubject(act, account), cause },
      actor,
      async () => ({
        result: undefined,
      }),
    );
  }
}

const SERVER_ERROR = 500;

/** Who acts, without what only a request has. */
const actorOf = ({ channel, ip, requestId, userAgent }: Caller): Actor => ({
  channel,
  ip,
  requestId,
  userAgent,
});

/** The new e-mail; only its change has one. */
const emailOf = (asked: AskedChange & { email?: string }): string => asked.email ?? '';
