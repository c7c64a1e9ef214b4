import { accountMails } from '../auth/account-mails.ts';
import { AccountReader } from '../auth/account-reader.ts';
import { RecordedActs } from '../auth/audit/recorded-acts.ts';
import { Corrections } from '../auth/corrections.ts';
import { Emails } from '../auth/emails/emails.ts';
import { Features } from '../auth/features.ts';
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
import type { Erasure } from '../auth/privacy/erasure.ts';
import { OwnAccount } from '../auth/privacy/own-account.ts';
import { Registration } from '../auth/registration.ts';
import { RecordedReviews } from '../auth/reviews/recorded-reviews.ts';
import { Resubmission } from '../auth/reviews/resubmission.ts';
import { Verifications } from '../auth/reviews/reviews.ts';
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
import { MailDelivery } from '../mail/mail-delivery.ts';
import { openSmtp } from '../mail/smtp.ts';
import type { DomainHooks } from '../monitoring/monitoring.ts';
import type { RunningWork } from '../system/running-work.ts';
import { type Domain, openLeaving, openReviews } from './domain.ts';
import type { Storage } from './storage.ts';

/** The parts of the service layer that the operators' API is built on. */
export interface OperatorFoundation {
  sessions: Sessions;
  sessionIssuer: SessionIssuer;
  actThrottle: ActThrottle;
  loginThrottle: LoginThrottle;
  acts: RecordedActs;
  secondFactor: SecondFactor;
  cipher: SecretCipher | undefined;
}

/** The services behind the APIs. */
export interface ServiceLayer {
  sessions: Sessions;
  enrolmentAccess: EnrolmentAccess;
  features: Features;
  registration: Registration;
  login: Login;
  accountReader: AccountReader;
  resubmission: Resubmission;
  corrections: Corrections;
  ownTokens: OwnTokens;
  passwords: Passwords;
  emails: Emails;
  twoFactor: TwoFactor;
  ownPasskeys: OwnPasskeys;
  passkeyLogin: PasskeyLogin;
  recordedReviews: RecordedReviews;
  ownAccount: OwnAccount;
  erasure: Erasure;
  serviceAuthentication: ServiceAuthentication;
  forwardAuthentication: ForwardAuthentication;
  verifications: Verifications;
  /** For the operators' API. */
  foundation: OperatorFoundation;
  /**
   * Starts the delivery of mails, if there is a mail server. It needs no connection to start.
   * @returns a function that stops it
   */
  deliverMails(): () => Promise<void>;
  /**
   * Uses the secrets of these settings from now on, and ignores all other settings. It neither waits nor fails, so that
   * all parts change together. Requests and mails under way may end with the secrets that they began with.
   */
  takeSecrets(config: Config): void;
}

interface ServiceParts {
  config: Config;
  domain: Domain;
  storage: Pick<Storage, 'documents' | 'placesKey' | 'passkeyKey'>;
  /** Gets the acts that are finished or undone even if their caller has gone. */
  running: RunningWork;
  hooks: Pick<DomainHooks, 'onSession' | 'onMail'>;
}

/** Builds what requests need beside the domain: sessions, limits, the services, and the delivery of mails. */
export function openServiceLayer({ config, domain, storage, running, hooks }: ServiceParts): ServiceLayer {
  const {
    stores,
    ids,
    audit,
    tokens,
    passwordResetTokens,
    emailLinkTokens,
    accountData,
    hasher,
    passwordCheck,
    outbox,
    notices,
    urlSigner,
    twoFactorPolicy,
  } = domain;
  const { clock, log } = domain;
  const { accounts, doctors, messages } = stores;
  const { documents } = storage;
  const knownPlaces = new KnownPlaces(accounts, storage.placesKey, log);
  const createCounter = countInDatabase(stores.attempts, clock);
  const actThrottle = new ActThrottle(config.rateLimit, createCounter);
  const loginThrottle = new LoginThrottle(config.rateLimit, createCounter, (attempt) =>
    knownPlaces.has(attempt),
  );
  const acts = new RecordedActs(audit, running);
  const features = new Features({
    'second factor': config.twoFactor.secrets.length > 0 || config.passkeys !== undefined,
    passkeys: config.passkeys !== undefined && storage.passkeyKey !== undefined,
    'e-mail links': config.emailVerificationUrl !== undefined,
  });
  const sessions = new Sessions(tokens, audit, hooks.onSession, twoFactorPolicy, features);
  const passwordChanges = new PasswordChanges({
    accounts,
    tokens,
    accountData,
    hasher,
    passwordCheck,
    knownPlaces,
    loginThrottle,
    actThrottle,
    outbox,
    clock,
    log,
  });
  const loginChallenges = new LoginChallenges(stores.challenges, accounts, loginThrottle, clock);
  const cipher = config.twoFactor.secrets.length > 0 ? new SecretCipher(config.twoFactor.secrets) : undefined;
  const enrolmentAccess = new EnrolmentAccess(accounts, sessions, loginChallenges, features);
  const passkeyTools = config.passkeys &&
    storage.passkeyKey && {
      ceremonies: new Ceremonies(config.passkeys),
      challenges: new PasskeyChallenges(storage.passkeyKey, stores.challenges, clock),
      rpId: config.passkeys.rpId,
    };
  const passkeyProofs = new PasskeyProofs({
    passkeyTools,
    passkeys: stores.passkeys,
    accounts,
    loginThrottle,
    knownPlaces,
    audit,
    clock,
    log,
  });
  const secondFactor = new SecondFactor({
    factors: stores.factors,
    cipher,
    twoFactorPolicy,
    actThrottle,
    knownPlaces,
    notices,
    isLimited: config.rateLimit.codes !== undefined,
    clock,
    log,
  });
  const reauthenticator = new Reauthenticator({
    accounts,
    hasher,
    loginThrottle,
    secondFactor,
    passkeyProofs,
  });
  const sessionIssuer = new SessionIssuer({
    accounts,
    doctors,
    knownPlaces,
    tokens,
    actThrottle,
    outbox,
    audit,
    maxTokensPerAccount: config.maxTokensPerAccount,
    clock,
    log,
  });

  const login = new Login({
    accounts,
    acts,
    features,
    hasher,
    loginThrottle,
    audit,
    sessionIssuer,
    passwordChanges,
    secondFactor,
    loginChallenges,
    twoFactorPolicy,
    log,
  });
  const resubmission = new Resubmission({ acts, actThrottle, doctors, documents, clock, log });
  const { personalData, erasure } = openLeaving(domain, documents);
  const verifications = new Verifications(doctors);
  const serviceAuthentication = new ServiceAuthentication({ secrets: config.services, actThrottle, audit });

  const quota = new MailboxLimits(createCounter);
  // With SMTP_URL the first is set.
  const { passwordResetUrl: resetUrlTemplate = '', emailVerificationUrl, mailLanguage } = config;
  const transport = config.mail && openSmtp(config.mail);
  const deliverMails = () => {
    if (!transport) {
      return async () => {};
    }
    const draftMail = accountMails({
      accounts,
      passwordResetTokens,
      emailLinkTokens,
      outbox,
      clock,
      resetUrlTemplate,
      verificationUrlTemplate: emailVerificationUrl,
      mailLanguage,
      serviceName: config.mail?.from.name ?? '',
      timeZone: config.timeZone,
    });
    const observe = hooks.onMail;
    const delivery = new MailDelivery({ messages, draftMail, quota, transport, clock, log, observe });
    outbox.onAdded(() => delivery.wakeLater());
    delivery.wake();
    return () => delivery.stop();
  };

  const emails = new Emails({
    features,
    accounts,
    emailLinkTokens,
    accountData,
    reauthenticator,
    acts,
    loginThrottle,
    actThrottle,
    outbox,
    notices,
    clock,
    log,
  });

  const registration = new Registration({
    accounts,
    acts,
    actThrottle,
    audit,
    emails,
    ids: ids.accounts,
    knownPlaces,
    doctors,
    tokens,
    hasher,
    documents,
    clock,
    log,
  });
  return {
    sessions,
    enrolmentAccess,
    features,
    registration,
    login,
    resubmission,
    accountReader: new AccountReader({ accounts, doctors, audit }),
    emails,
    twoFactor: new TwoFactor({
      issuer: config.twoFactor.issuer,
      cipher,
      accounts,
      accountData,
      actThrottle,
      factors: stores.factors,
      loginChallenges,
      secondFactor,
      passkeyProofs,
      enrolmentAccess,
      twoFactorPolicy,
      reauthenticator,
      passwordChanges,
      tokens,
      acts,
      notices,
      clock,
      log,
    }),
    ownPasskeys: new OwnPasskeys({
      passkeyTools,
      passkeys: stores.passkeys,
      passkeyProofs,
      accounts,
      accountData,
      enrolmentAccess,
      loginChallenges,
      reauthenticator,
      twoFactorPolicy,
      loginThrottle,
      acts,
      notices,
      clock,
    }),
    passkeyLogin: new PasskeyLogin({
      passkeyTools,
      passkeyProofs,
      sessionIssuer,
      passwordChanges,
      acts,
      audit,
    }),
    ownTokens: new OwnTokens({ tokens, accessTokens: stores.accessTokens, acts }),
    passwords: new Passwords({
      accounts,
      reauthenticator,
      passwordChanges,
      passwordResetTokens,
      acts,
      loginThrottle,
      actThrottle,
      outbox,
    }),
    corrections: new Corrections({ acts, actThrottle, accounts, doctors, clock, log }),
    recordedReviews: new RecordedReviews({ reviews: openReviews(domain, documents), acts, audit }),
    ownAccount: new OwnAccount({
      acts,
      actThrottle,
      reauthenticator,
      accounts,
      accountData,
      personalData,
      notices,
      erasureGraceMillis: config.erasureGraceMillis,
      clock,
    }),
    erasure,
    serviceAuthentication,
    forwardAuthentication: new ForwardAuthentication({ sessions, verifications, audit, clock }),
    verifications,
    foundation: { sessions, sessionIssuer, actThrottle, loginThrottle, acts, secondFactor, cipher },
    deliverMails,
    takeSecrets: (next) => {
      serviceAuthentication.replaceSecrets(next.services);
      if (next.twoFactor.secrets.length > 0) {
        cipher?.replaceLines(next.twoFactor.secrets);
      }
      if (next.mail) {
        transport?.replace(next.mail);
      }
      if (next.documentSigning) {
        urlSigner?.replaceSecrets(next.documentSigning);
      }
    },
  };
}
