import { ROLES } from '../../stores/accounts.ts';
import {
  InsufficientAuthenticationError,
  MissingAbilityError,
  UnauthenticatedError,
} from '../../system/errors.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Caller } from '../caller.ts';
import type { TwoFactorPolicy } from '../two-factor/policy.ts';
import { missingAbility, type Need, needOf, type TokenAct } from './abilities.ts';
import type { AccessTokens, Session } from './access-tokens.ts';
import { levelOf } from './assurance.ts';

/** Called when the token of a request has turned out to be valid. */
export type SessionObserver = (caller: Caller, session: Session) => void;

/** Finds the session of a presented token, and checks what the token may do. */
export class Sessions {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly audit: AuditTrail,
    private readonly onSession: SessionObserver,
    private readonly policy: TwoFactorPolicy,
  ) {}

  /**
   * The session of the presented token for an act on its behalf, and a note that the token is being used.
   * @throws UnauthenticatedError when there is none, or it is not valid; MissingAbilityError;
   *   InsufficientAuthenticationError
   */
  async authorize(act: TokenAct | Need, caller: Caller): Promise<Session> {
    return this.#permit(act, await this.find(caller), caller);
  }

  /**
   * The session of the presented token, and a note that the token is being used. For answers about a token: whoever acts on its
   * behalf calls {@link authorize}.
   * @returns undefined if there is no token, or it is not valid
   */
  async find(caller: Caller): Promise<Session | undefined> {
    const session = await this.#lookUp(caller);
    if (session) {
      this.tokens.noteUse(session.token);
    }
    return session;
  }

  /**
   * The same as {@link authorize} for an act that revokes the token, so its use is not noted.
   * @throws UnauthenticatedError when there is none, or it is not valid; MissingAbilityError
   */
  async authorizeLast(act: TokenAct, caller: Caller): Promise<Session> {
    return this.#permit(act, await this.#lookUp(caller), caller);
  }

  /** The audit trail records a token that may not do the act (OWASP ASVS 16.3.2). */
  #permit(act: TokenAct | Need, session: Session | undefined, caller: Caller): Session {
    if (!session) {
      throw new UnauthenticatedError();
    }
    const { account, token } = session;
    const missing = missingAbility(act, token.abilities);
    if (missing) {
      const refusal = new MissingAbilityError(missing.reason);
      // A review is about other accounts.
      const { id, email } = account;
      const who = missing.audited === 'review' ? { byAccountId: id } : { accountId: id, email };
      void this.audit.write({ act: missing.audited, ...who }, caller, refusal);
      throw refusal;
    }
    this.#demandSecondFactor(act, session, caller);
    return session;
  }

  /** Reviewers decide about others, so a policy that names them also reaches those who still have time to enrol. */
  #demandSecondFactor(act: TokenAct | Need, { account, token }: Session, caller: Caller): void {
    const need = needOf(act);
    const isReview = need.needs !== 'nothing' && need.audited === 'review';
    if (isReview && this.policy.names(ROLES.REVIEWER) && levelOf(token) !== 'aal2') {
      const refusal = new InsufficientAuthenticationError({ acr: 'aal2' });
      void this.audit.write({ act: 'review', byAccountId: account.id }, caller, refusal);
      throw refusal;
    }
  }

  async #lookUp(caller: Caller): Promise<Session | undefined> {
    const { bearer, audience, timeBudget } = caller;
    if (bearer === undefined) {
      return undefined;
    }
    const session = await timeBudget.within(() => this.tokens.find(bearer, audience.roles));
    if (session) {
      this.onSession(caller, session);
    }
    return session;
  }
}
