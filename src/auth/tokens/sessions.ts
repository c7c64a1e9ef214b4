import { type Account, ROLES } from '../../stores/accounts.ts';
import {
  InsufficientAccessError,
  InsufficientAuthenticationError,
  MissingAbilityError,
  type ServiceError,
  UnauthenticatedError,
} from '../../system/errors.ts';
import type { AuditSubject, AuditTrail } from '../audit/audit-trail.ts';
import type { Caller } from '../caller.ts';
import type { Features } from '../features.ts';
import type { TwoFactorPolicy } from '../two-factor/policy.ts';
import { missingAbility, type Need } from './abilities.ts';
import type { AccessTokens, FoundToken } from './access-tokens.ts';
import { levelOf } from './assurance.ts';
import type { AccessToken } from './token-lifetimes.ts';

/** Called when the token of a request has turned out to be valid. */
export type SessionObserver = (caller: Caller, found: FoundToken) => void;

/** The account and the token of a caller who may do what was asked. Only {@link Sessions} makes one, so no decision is left out. */
class PermittedSession implements FoundToken {
  /** No other object of this form is one. */
  declare protected readonly permitted: true;

  constructor(
    readonly account: Account,
    readonly token: AccessToken,
  ) {}
}

export type Session = PermittedSession;

/** Finds the session of a presented token, and checks what the token may do. */
export class Sessions {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly audit: AuditTrail,
    private readonly onSession: SessionObserver,
    private readonly policy: TwoFactorPolicy,
    private readonly features: Features,
  ) {}

  /**
   * The session of the presented token for an operation, and a note that the token is being used.
   * @throws the 404 of a feature that is off; UnauthenticatedError when there is no token, or it is not valid; MissingAbilityError;
   *   InsufficientAuthenticationError, InsufficientAccessError
   */
  async authorize(need: Need, caller: Caller): Promise<Session> {
    this.features.demand(need.feature);
    return this.#permit(need, await this.find(caller), caller);
  }

  /**
   * The account and the token that are presented, and a note that the token is being used. For answers about a token: whoever acts on
   * its behalf calls {@link authorize}.
   * @returns undefined if there is no token, or it is not valid
   */
  async find(caller: Caller): Promise<FoundToken | undefined> {
    const found = await this.#lookUp(caller);
    if (found) {
      this.tokens.noteUse(found.token);
    }
    return found;
  }

  /** The same as {@link authorize} for an operation that revokes the token, so its use is not noted. */
  async authorizeLast(need: Need, caller: Caller): Promise<Session> {
    this.features.demand(need.feature);
    return this.#permit(need, await this.#lookUp(caller), caller);
  }

  /** The audit trail records whoever may not do it (OWASP ASVS 16.3.2). */
  #permit(need: Need, found: FoundToken | undefined, caller: Caller): Session {
    if (!found) {
      throw new UnauthenticatedError();
    }
    const { account, token } = found;
    const { audited: act, role } = need;
    const refuse = (refusal: ServiceError, whose: Partial<AuditSubject>): never => {
      void (act && this.audit.write({ act, ...whose }, caller, refusal));
      throw refusal;
    };
    const by = { byAccountId: account.id };
    const isReview = role === ROLES.REVIEWER;
    const missing = missingAbility(need, token.abilities);
    if (missing !== undefined) {
      // A review is about other accounts.
      refuse(
        new MissingAbilityError(missing),
        isReview ? by : { accountId: account.id, email: account.email },
      );
    }
    // Reviewers decide about others, so a policy that names them also reaches those who still have time to enrol.
    if (isReview && this.policy.names(ROLES.REVIEWER) && levelOf(token) !== 'aal2') {
      refuse(new InsufficientAuthenticationError({ acr: 'aal2' }), by);
    }
    if (role && account.role !== role) {
      refuse(new InsufficientAccessError('role'), by);
    }
    return new PermittedSession(account, token);
  }

  async #lookUp(caller: Caller): Promise<FoundToken | undefined> {
    const { bearer, audience, timeBudget } = caller;
    if (bearer === undefined) {
      return undefined;
    }
    const found = await timeBudget.within(() => this.tokens.find(bearer, audience.roles));
    if (found) {
      this.onSession(caller, found);
    }
    return found;
  }
}
