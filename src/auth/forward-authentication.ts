import { VERIFICATION_STATUSES, type VerificationStatus } from '../stores/doctors.ts';
import type { Clock } from '../system/clock.ts';
import {
  InsufficientAccessError,
  InsufficientAuthenticationError,
  type ServiceError,
} from '../system/errors.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { Caller } from './caller.ts';
import type { Verifications } from './reviews/reviews.ts';
import { hasAbility } from './tokens/abilities.ts';
import { type AssuranceRequirement, meets } from './tokens/assurance.ts';
import type { Session, Sessions } from './tokens/sessions.ts';

/** What a proxy requires of the caller of a route. */
export interface Requirements {
  /** The account has one of these roles; empty: any role. */
  roles: readonly string[];
  /** The token has all of these abilities. */
  abilities: readonly string[];
  /** The account is a doctor whom a reviewer has approved. */
  isVerified: boolean;
  /** The e-mail of the account was proven by a mailed link. */
  hasProvenEmail: boolean;
  /** How well and how recently the owner of the token was proven (RFC 9470). */
  assurance: AssuranceRequirement;
}

/** A session that meets the requirements, with the verification of a doctor; undefined for other accounts. */
export interface Admitted {
  session: Session;
  verification: VerificationStatus | undefined;
}

interface ForwardAuthenticationParts {
  sessions: Sessions;
  verifications: Verifications;
  audit: AuditTrail;
  clock: Clock;
}

/** Decides for a proxy whether it may pass a request on. */
export class ForwardAuthentication {
  constructor(private readonly parts: ForwardAuthenticationParts) {}

  /**
   * The session of a caller who meets the requirements. The audit trail records callers who do not (OWASP ASVS 16.3.2).
   * @throws UnauthenticatedError; InsufficientAccessError; InsufficientAuthenticationError
   */
  async admit(required: Requirements, caller: Caller): Promise<Admitted> {
    const { sessions, verifications, audit, clock } = this.parts;
    const session = await sessions.authorize({ needs: 'token' }, caller);
    const { id, email } = session.account;
    const refuse = (refusal: ServiceError): never => {
      void audit.write({ act: 'forward authentication', accountId: id, email }, caller, refusal);
      throw refusal;
    };
    const unmet = unmetBy(session, required);
    if (unmet) {
      refuse(unmet);
    }
    const verification = (await verifications.find(session.account, caller))?.status;
    if (required.isVerified && verification !== VERIFICATION_STATUSES.VERIFIED) {
      refuse(new InsufficientAccessError('verification', 'no verified doctor'));
    }
    // The last one: nobody should have to prove more for a route that refuses them anyway.
    if (!meets(session.token, required.assurance, clock.now())) {
      refuse(new InsufficientAuthenticationError(required.assurance));
    }
    return { session, verification };
  }
}

/** What a session lacks, before a look at the review of a doctor; undefined if it lacks nothing. */
function unmetBy(
  { account, token }: Session,
  { roles, abilities, hasProvenEmail }: Requirements,
): InsufficientAccessError | undefined {
  if (roles.length > 0 && !roles.includes(account.role)) {
    return new InsufficientAccessError('role', 'another role is required');
  }
  if (hasProvenEmail && account.emailVerifiedAt === null) {
    return new InsufficientAccessError('email', 'the e-mail is not proven');
  }
  const hasAll = abilities.every((ability) => hasAbility(token.abilities, ability));
  return hasAll ? undefined : new InsufficientAccessError('ability', 'the token lacks an ability');
}
