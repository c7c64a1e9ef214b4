import { type Account, type AccountStore, newId, toAdministered } from '../../stores/accounts.ts';
import type { AuditedAct } from '../../stores/audit-events.ts';
import {
  GUARDED_ACTS,
  type GuardedAct,
  type OperatorActStore,
  type OperatorChange,
  type RequestedAct,
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
  /** The new e-mail; only its change has one. */
  email?: string;
}

type Known = ReturnType<typeof toAdministered>;

/** Does a change to an account, and records it. */
type Run = (
  parts: OperatorChangesParts,
  account: Known,
  actor: Actor,
  asked: AskedChange,
) => Promise<unknown>;

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

/** A mutation of the operators' API that names an account. */
interface AccountChange {
  mutation: string;
  /** What it does, for readers of the schema. */
  description: string;
  run: Run;
}

const GUARDED =
  'If another of the acts that together open an account was done in the last seven days, it waits for another operator (`requested`).';

/** By the acts of the audit trail. The guarded ones among them may wait for another operator ({@link needsAnother}). */
export const ACCOUNT_CHANGES = {
  disabling: {
    mutation: 'disableAccount',
    description: 'Blocks logins, and ends all sessions.',
    run: ({ accountAdmin }, account, actor) => accountAdmin.disable(account, actor),
  },
  enabling: {
    mutation: 'enableAccount',
    description: 'Allows logins again, also to a closed account.',
    run: ({ accountAdmin }, account, actor) => accountAdmin.enable(account, actor),
  },
  unlocking: {
    mutation: 'unlockAccount',
    description: 'Forgets failed logins and wrong codes. The limits of networks stay.',
    run: ({ accountAdmin }, account, actor) => accountAdmin.unlock(account, actor),
  },
  revocation: {
    mutation: 'endSessions',
    description: 'Ends all sessions.',
    run: ({ tokenAdmin }, account, actor) => tokenAdmin.revokeAll(account, actor),
  },
  closing: {
    mutation: 'closeAccount',
    description: 'Closes an account as its owner can: it is erased after a time, unless it is enabled.',
    run: ({ erasureAdmin }, account, actor) => erasureAdmin.close(account, actor),
  },
  'reset link': {
    mutation: 'sendResetLink',
    description: `Mails a link to a new password to the owner, shows it to nobody, and ends all sessions. ${GUARDED}`,
    run: async ({ resetLinks, tokenAdmin }, account, actor) => {
      await resetLinks.mail(account.id, actor);
      await tokenAdmin.revokeAll(account, actor);
    },
  },
  'second factor reset': {
    mutation: 'removeSecondFactor',
    description: `Removes second factor, passkeys and password of somebody who has lost them, and ends all sessions. ${GUARDED}`,
    run: ({ twoFactorAdmin }, account, { reason = '', ...actor }) =>
      twoFactorAdmin.remove(account, reason, actor),
  },
  'e-mail change': {
    mutation: 'correctEmail',
    description: `Mails a link to a new e-mail address, which counts when the link is used; the former one gets a notice at once. Ends all sessions. ${GUARDED}`,
    run: ({ accountAdmin }, account, actor, { email = '' }) =>
      accountAdmin.mailNewEmail(account, email, actor),
  },
} satisfies Partial<Record<AuditedAct, AccountChange>> & Record<GuardedAct, AccountChange>;

/** An act with a row in {@link ACCOUNT_CHANGES}. */
export type ChangeAct = keyof typeof ACCOUNT_CHANGES;

/** True for an act that may wait for another operator. */
export const isGuarded = (act: ChangeAct): act is GuardedAct =>
  GUARDED_ACTS.some((guarded) => guarded === act);

/** A change that an operator may make, before it is made. */
interface Begun {
  asked: AskedChange;
  operator: Account;
  seen: SeenAccount;
  known: Known;
  caller: Caller;
}

/**
 * What operators change in the accounts of other people. Each change needs a second factor that was proved in the last 15 minutes, a reason, and
 * the version of the account that the operator has seen. The record of `operator_acts` is changed first, so of two at once one gets CONFLICT; a
 * kill after it leaves a guarded act noted that was not done, which is the safe side. The acts themselves are those of the command line.
 */
export class OperatorChanges {
  constructor(private readonly parts: OperatorChangesParts) {}

  /**
   * Makes one of {@link ACCOUNT_CHANGES}. If another of the guarded acts was done in the last seven days, a guarded one only waits for another
   * operator. It takes the place of one that waits already.
   * @throws as {@link #begin}; what the act throws
   */
  async make(act: ChangeAct, asked: AskedChange, caller: Caller): Promise<AccountDetails> {
    const begun = await this.#begin(act, asked, caller);
    const { run } = ACCOUNT_CHANGES[act];
    if (!isGuarded(act)) {
      return this.#change(begun, {}, run);
    }
    const { operator, seen } = begun;
    const now = new Date(this.parts.clock.now());
    if (!needsAnother(act, seen.acts, now)) {
      return this.#change(begun, { act }, run);
    }
    const { reason, email } = asked;
    const requested: RequestedAct = {
      ...{ id: newId(), act, reason, requestedBy: operator.id, at: now },
      ...(email !== undefined && { email }),
    };
    return this.#change(begun, { requested }, recordOnly('act request', act));
  }

  /**
   * Everything that the gateway holds about a person, in JSON, without links to documents ({@link ErasureAdmin.export}).
   * @throws as {@link #begin}
   */
  async export(asked: AskedChange, caller: Caller): Promise<string> {
    const begun = await this.#begin('data export', asked, caller);
    const data = await this.#complete(begun, {}, (actor) =>
      this.parts.erasureAdmin.export(begun.known, actor),
    );
    return JSON.stringify(presentPersonalData(data, undefined));
  }

  /**
   * Sends a mail to the owner again at once that waits for a later attempt ({@link MailAdmin.retry}).
   * @throws as {@link #begin}; NotFoundError if it does not wait, or is to somebody else
   */
  async resendMail(mailId: string, asked: AskedChange, caller: Caller): Promise<AccountDetails> {
    const begun = await this.#begin('mail retry', asked, caller);
    return this.#change(begun, {}, async ({ mailAdmin }, account, actor) => {
      const waiting = await mailAdmin.waitingFor(account);
      if (!waiting.some(({ id }) => id === mailId)) {
        throw new NotFoundError('No mail of this id waits for this account.');
      }
      await mailAdmin.retry(mailId, actor);
    });
  }

  /**
   * Confirms the act that waits, and does it.
   * @param requestId of that act
   * @throws as {@link #begin}; NotFoundError if it does not wait any more; InsufficientAccessError for the operator who has asked for it
   */
  async confirm(requestId: string, asked: AskedChange, caller: Caller): Promise<AccountDetails> {
    const begun = await this.#begin('act confirmation', asked, caller);
    const { act, email, reason, requestedBy } = this.#requested(begun.seen, requestId);
    const asking = await this.parts.accounts.findById(requestedBy);
    if (requestedBy === begun.operator.id || !isActiveOperator(asking)) {
      throw new InsufficientAccessError('role', 'the act needs two operators');
    }
    return this.#change(begun, { act, requested: null }, async (parts, account, actor) => {
      await recordOnly('act confirmation', act)(parts, account, actor, asked);
      const both = `${reason}, confirmed: ${asked.reason}`;
      const confirmed = { ...asked, ...(email !== undefined && { email }) };
      await ACCOUNT_CHANGES[act].run(parts, account, { ...actor, reason: both }, confirmed);
    });
  }

  /**
   * Declines the act that waits. The operator who has asked for it takes it back by this.
   * @throws as {@link #begin}; NotFoundError if it does not wait any more
   */
  async decline(requestId: string, asked: AskedChange, caller: Caller): Promise<AccountDetails> {
    const begun = await this.#begin('act refusal', asked, caller);
    const { act } = this.#requested(begun.seen, requestId);
    return this.#change(begun, { requested: null }, recordOnly('act refusal', act));
  }

  /**
   * @throws as OperatorAccess.authorizeChange; NotFoundError if nobody has the id; InsufficientAccessError for the accounts of operators and
   *   reviewers; ConflictError if the account has changed since the operator has seen it
   */
  async #begin(act: AuditedAct, asked: AskedChange, caller: Caller): Promise<Begun> {
    const { operatorAccess, operatorQueries } = this.parts;
    const operator = await operatorAccess.authorizeChange(caller, act);
    const seen = await caller.timeBudget.within(() => operatorQueries.seen(asked.account));
    if (!seen) {
      throw new NotFoundError('No account has this id.');
    }
    const known = toAdministered(seen.account);
    await operatorAccess.refuseStaff(known, operator, act, caller);
    refuseOutdated(seen, asked.version);
    return { asked, operator, seen, known, caller };
  }

  /** Makes a change, and reads the account after it. @throws ConflictError; what the act throws */
  async #change(begun: Begun, change: OperatorChange, run: Run): Promise<AccountDetails> {
    const { operatorActs, operatorQueries } = this.parts;
    const { known, asked } = begun;
    const details = await this.#complete(begun, change, async (actor, now) => {
      await run(this.parts, known, actor, asked).catch(async (error: unknown) => {
        // A refusal has changed nothing, so it does not count either.
        if (change.act && error instanceof ServiceError && error.status < SERVER_ERROR) {
          await operatorActs.takeBack(known.id, change.act, now);
        }
        throw error;
      });
      return operatorQueries.detailsOf(known.id);
    });
    if (!details) {
      throw new NotFoundError('The account does not exist any more.');
    }
    return details;
  }

  /** The change is noted before it is made: of two operators with the same version, one is refused. */
  #complete<T>(
    { asked, operator, seen, known, caller }: Begun,
    change: OperatorChange,
    make: (actor: Actor, now: Date) => Promise<T>,
  ): Promise<T> {
    const { operatorActs, acts, clock } = this.parts;
    const actor: Actor = { ...actorOf(caller), accountId: operator.id, reason: asked.reason };
    return acts.complete(caller, async () => {
      const now = new Date(clock.now());
      if (!(await commit(() => operatorActs.change(known.id, seen.acts?.changeId, change, now)))) {
        throw changedMeanwhile();
      }
      return { result: await make(actor, now), written: Promise.resolve() };
    });
  }

  #requested({ acts }: SeenAccount, requestId: string): RequestedAct {
    const requested = requestedOf(acts, new Date(this.parts.clock.now()));
    if (requested?.id !== requestId) {
      throw new NotFoundError('The act does not wait for another operator any more.');
    }
    return requested;
  }
}

/** Changes nothing of the account: the act waits, or has ended. */
const recordOnly =
  (act: AuditedAct, cause: GuardedAct): Run =>
  ({ audit }, account, actor) =>
    recordedByOperator(audit, { ...accountSubject(act, account), cause }, actor, async () => ({
      result: undefined,
    }));

const SERVER_ERROR = 500;

/** Who acts, without what only a request has. */
export const actorOf = ({ channel, ip, requestId, userAgent }: Caller): Actor => ({
  channel,
  ip,
  requestId,
  userAgent,
});
