import { AccountReader } from '../auth/account-reader.ts';
import { RecordedActs } from '../auth/audit/recorded-acts.ts';
import { Corrections } from '../auth/corrections.ts';
import { Emails } from '../auth/emails/emails.ts';
import { ForwardAuthentication } from '../auth/forward-authentication.ts';
import { Login } from '../auth/login.ts';
import { Ceremonies } from '../auth/passkeys/ceremonies.ts';
import { OwnPasskeys } from '../auth/passkeys/own-passkeys.ts';
import { PasskeyChallenges } from '../auth/passkeys/passkey-challenges.ts';
import { PasskeyLogin } from '../auth/passkeys/passkey-login.ts';
import { PasskeyProofs } from '../auth/passkeys/passkey-proofs.ts';
import { PasswordChanges } from '../auth/passwords/password-changes.ts';
import { Passwords } from '../auth/passwords/passwords.ts';
import { Reauthenticator } from '../auth/passwords/reauthenticator.ts';
import { Erasure } from '../auth/privacy/erasure.ts';
import { OwnAccount } from '../auth/privacy/own-account.ts';
import { PersonalDataExport } from '../auth/privacy/personal-data.ts';
import { Registration } from '../auth/registration.ts';
import { VerificationEndings } from '../auth/reviews/endings.ts';
import { RecordedReviews } from '../auth/reviews/recorded-reviews.ts';
import { Resubmission } from '../auth/reviews/resubmission.ts';
import { Reviews, Verifications } from '../auth/reviews/reviews.ts';
import { ServiceAuthentication } from '../auth/service-authentication.ts';
import { SessionIssuer } from '../auth/session-issuer.ts';
import { ActThrottle } from '../auth/throttle/act-throttle.ts';
import { countInDatabase } from '../auth/throttle/attempt-counters.ts';
import { KnownPlaces } from '../auth/throttle/known-places.ts';
import { LoginThrottle } from '../auth/throttle/login-throttle.ts';
import { MailboxLimits } from '../auth/throttle/mailbox-limits.ts';
import { OwnTokens } from '../auth/tokens/own-tokens.ts';
import { Sessions } from '../auth/tokens/sessions.ts';
import { EnrolmentAccess } from '../auth/two-factor/enrolment-access.ts';
import { LoginChallenges } from '../auth/two-factor/login-challenges.ts';
import { SecondFactor } from '../auth/two-factor/second-factor.ts';
import { SecretCipher } from '../auth/two-factor/secret-cipher.ts';
import { TwoFactor } from '../auth/two-factor/two-factor.ts';
import type { Config } from '../config/config.ts';
import { openSmtp } from '../mail/smtp.ts';
import type { DomainHooks } from '../monitoring/monitoring.ts';
import type { RunningWork } from '../system/running-work.ts';
import type { Domain } from './domain.ts';
import type { Storage } from './storage.ts';

type RequestBasis = Storage &
  Domain & {
    /** Gets the acts that are finished or undone even if their caller has gone. */
    running: RunningWork;
    hooks: Pick<DomainHooks, 'onSession' | 'onMail'>;
  };

/** The domain with all that answers requests. */
export type RequestDomain = ReturnType<typeof openRequestDomain>;

/**
 * Builds what requests need on the domain: sessions, limits, and what callers do. Each stage has everything of the earlier one, and
 * a class takes from it what its parts name. The keys of places and passkeys are left out: only what is made here needs them.
 */
export function openRequestDomain(config: Config, { placesKey, passkeyKey, ...domain }: RequestBasis) {
  const { accounts, attempts, challenges, tokens, audit, twoFactorPolicy, features } = domain;
  const { running, hooks, clock, log } = domain;
  const { twoFactor, passkeys: relyingParty, rateLimit } = config;
  const createCounter = countInDatabase(attempts, clock);
  const knownPlaces = new KnownPlaces(accounts, placesKey, log);
  const loginThrottle = new LoginThrottle(rateLimit, createCounter, (attempt) => knownPlaces.has(attempt));
  const cipher = twoFactor.secrets.length > 0 ? new SecretCipher(twoFactor.secrets) : undefined;
  const passkeyTools = relyingParty &&
    passkeyKey && {
      ceremonies: new Ceremonies(relyingParty),
      challenges: new PasskeyChallenges(passkeyKey, challenges, clock),
      rpId: relyingParty.rpId,
    };
  const limits = {
    ...domain,
    maxTokensPerAccount: config.maxTokensPerAccount,
    twoFactorIssuer: twoFactor.issuer,
    areCodesLimited: rateLimit.codes !== undefined,
    cipher,
    passkeyTools,
    knownPlaces,
    loginThrottle,
    actThrottle: new ActThrottle(rateLimit, createCounter),
    acts: new RecordedActs(audit, running),
  };
  const basis = {
    ...limits,
    mailboxQuota: new MailboxLimits(createCounter),
    transport: config.mail && openSmtp(config.mail),
    sessions: new Sessions(tokens, audit, hooks.onSession, twoFactorPolicy, features),
    loginChallenges: new LoginChallenges(challenges, accounts, loginThrottle, clock),
    passwordChanges: new PasswordChanges(limits),
    resubmission: new Resubmission(limits),
    reviews: new Reviews(domain),
    endings: new VerificationEndings(domain),
    verifications: new Verifications(domain.doctors, clock),
    personalData: new PersonalDataExport(domain.stores, domain.accountData, clock),
    erasure: new Erasure(domain),
  };
  const { sessions, loginChallenges } = basis;
  const proofs = {
    ...basis,
    sessionIssuer: new SessionIssuer(basis),
    passkeyProofs: new PasskeyProofs(basis),
    secondFactor: new SecondFactor(basis),
    enrolmentAccess: new EnrolmentAccess(accounts, sessions, loginChallenges, features),
    serviceAuthentication: new ServiceAuthentication({ ...basis, serviceSecrets: config.services }),
  };
  const parts = {
    ...proofs,
    reauthenticator: new Reauthenticator(proofs),
    recordedReviews: new RecordedReviews(proofs),
    accountReader: new AccountReader(proofs),
    login: new Login(proofs),
  };
  const emails = new Emails(parts);
  return {
    ...parts,
    emails,
    registration: new Registration({ ...parts, emails }),
    twoFactor: new TwoFactor(parts),
    ownPasskeys: new OwnPasskeys(parts),
    passkeyLogin: new PasskeyLogin(parts),
    ownTokens: new OwnTokens(parts),
    passwords: new Passwords(parts),
    corrections: new Corrections(parts),
    ownAccount: new OwnAccount(parts),
    forwardAuthentication: new ForwardAuthentication(parts),
  };
}
