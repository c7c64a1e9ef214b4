import { accountMails } from '../auth/account-mails.ts';
import { RecordedActs } from '../auth/audit/recorded-acts.ts';
import { AuthService } from '../auth/auth-service.ts';
import { Corrections } from '../auth/corrections.ts';
import { EmailService } from '../auth/emails/email-service.ts';
import { ForwardAuthentication } from '../auth/forward-authentication.ts';
import type { Erasure } from '../auth/leaving/erasure.ts';
import { LeavingService } from '../auth/leaving/leaving-service.ts';
import { Login } from '../auth/login.ts';
import { NewSessions } from '../auth/new-sessions.ts';
import { Ceremonies } from '../auth/passkeys/ceremonies.ts';
import { PasskeyChallenges } from '../auth/passkeys/passkey-challenges.ts';
import { PasskeyLogin } from '../auth/passkeys/passkey-login.ts';
import { PasskeyService } from '../auth/passkeys/passkey-service.ts';
import { Passkeys } from '../auth/passkeys/passkeys.ts';
import { NewPasswords, PasswordChanges } from '../auth/passwords/new-passwords.ts';
import { OwnPassword } from '../auth/passwords/own-password.ts';
import { PasswordService } from '../auth/passwords/password-service.ts';
import { Registration } from '../auth/registration.ts';
import { Resubmission } from '../auth/reviews/resubmission.ts';
import { ReviewService } from '../auth/reviews/review-service.ts';
import { Verifications } from '../auth/reviews/reviews.ts';
import { ServiceAuthentication } from '../auth/service-authentication.ts';
import { ActThrottle } from '../auth/throttle/act-throttle.ts';
import { countInDatabase } from '../auth/throttle/attempt-counters.ts';
import { KnownPlaces } from '../auth/throttle/known-places.ts';
import { LoginThrottle } from '../auth/throttle/login-throttle.ts';
import { MailboxLimits } from '../auth/throttle/mailbox-limits.ts';
import { OwnTokens } from '../auth/tokens/own-tokens.ts';
import { Sessions } from '../auth/tokens/sessions.ts';
import { Challenges } from '../auth/two-factor/challenges.ts';
import { SecondFactor } from '../auth/two-factor/second-factor.ts';
import { SecretCipher } from '../auth/two-factor/secret-cipher.ts';
import { SetUpAccesses } from '../auth/two-factor/setup-access.ts';
import { TwoFactorService } from '../auth/two-factor/two-factor-service.ts';
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
  newSessions: NewSessions;
  actThrottle: ActThrottle;
  throttle: LoginThrottle;
  acts: RecordedActs;
  secondFactor: SecondFactor;
  cipher: SecretCipher | undefined;
}

/** The services behind the APIs. */
export interface ServiceLayer {
  auth: AuthService;
  corrections: Corrections;
  tokens: OwnTokens;
  passwords: PasswordService;
  emails: EmailService;
  twoFactor: TwoFactorService;
  passkeys: PasskeyService;
  passkeyLogin: PasskeyLogin;
  reviews: ReviewService;
  leaving: LeavingService;
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
    resetTokens,
    emailLinks,
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
  const places = new KnownPlaces(accounts, storage.placesKey, log);
  const createCounter = countInDatabase(stores.attempts, clock);
  const actThrottle = new ActThrottle(config.rateLimit, createCounter);
  const throttle = new LoginThrottle(config.rateLimit, createCounter, (attempt) => places.has(attempt));
  const acts = new RecordedActs(audit, running);
  const sessions = new Sessions(tokens, audit, hooks.onSession, twoFactorPolicy);
  const passwordChanges = new PasswordChanges({ accounts, tokens, accountData, clock, log });
  const challenges = new Challenges(stores.challenges, accounts, throttle, clock);
  const cipher = config.twoFactor.secrets.length > 0 ? new SecretCipher(config.twoFactor.secrets) : undefined;
  const access = new SetUpAccesses(accounts, sessions, challenges, config.emailVerificationUrl !== undefined);
  const passkeyTools = config.passkeys &&
    storage.passkeyKey && {
      ceremonies: new Ceremonies(config.passkeys),
      challenges: new PasskeyChallenges(storage.passkeyKey, stores.challenges, clock),
      rpId: config.passkeys.rpId,
    };
  const passkeys = new Passkeys({
    tools: passkeyTools,
    passkeys: stores.passkeys,
    accounts,
    throttle,
    places,
    audit,
    clock,
    log,
  });
  const secondFactor = new SecondFactor({
    factors: stores.factors,
    cipher,
    policy: twoFactorPolicy,
    isOn: cipher !== undefined || passkeyTools !== undefined,
    actThrottle,
    places,
    notices,
    isLimited: config.rateLimit.codes !== undefined,
    clock,
    log,
  });
  const ownPassword = new OwnPassword({ accounts, hasher, throttle, secondFactor, passkeys });
  const newSessions = new NewSessions({
    accounts,
    doctors,
    places,
    tokens,
    actThrottle,
    outbox,
    audit,
    maxTokensPerAccount: config.maxTokensPerAccount,
    clock,
    log,
  });

  const registration = new Registration({
    accounts,
    ids: ids.accounts,
    places,
    doctors,
    tokens,
    hasher,
    documents,
    clock,
    log,
  });
  const login = new Login({
    accounts,
    hasher,
    throttle,
    audit,
    sessions: newSessions,
    passwordChanges,
    secondFactor,
    challenges,
    policy: twoFactorPolicy,
    log,
  });
  const newPasswords = new NewPasswords({
    changes: passwordChanges,
    hasher,
    passwordCheck,
    places,
    throttle,
    actThrottle,
    outbox,
    clock,
    log,
  });
  const resubmission = new Resubmission({ doctors, documents, clock, log });
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
      resetTokens,
      emailLinks,
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

  const emails = new EmailService({
    isOn: emailVerificationUrl !== undefined,
    accounts,
    links: emailLinks,
    accountData,
    ownPassword,
    sessions,
    access,
    acts,
    throttle,
    actThrottle,
    outbox,
    notices,
    clock,
    log,
  });

  return {
    auth: new AuthService({
      accounts,
      doctors,
      tokens,
      actThrottle,
      registration,
      login,
      audit,
      acts,
      sessions,
      emails,
    }),
    emails,
    twoFactor: new TwoFactorService({
      issuer: config.twoFactor.issuer,
      cipher,
      accounts,
      accountData,
      actThrottle,
      factors: stores.factors,
      challenges,
      secondFactor,
      passkeys,
      access,
      policy: twoFactorPolicy,
      ownPassword,
      passwordChanges,
      tokens,
      sessions,
      acts,
      notices,
      clock,
      log,
    }),
    passkeys: new PasskeyService({
      tools: passkeyTools,
      store: stores.passkeys,
      passkeys,
      accounts,
      accountData,
      access,
      challenges,
      ownPassword,
      sessions,
      policy: twoFactorPolicy,
      throttle,
      acts,
      notices,
      clock,
    }),
    passkeyLogin: new PasskeyLogin({
      tools: passkeyTools,
      passkeys,
      sessions: newSessions,
      passwordChanges,
      acts,
      audit,
    }),
    tokens: new OwnTokens({ sessions, tokens, store: stores.accessTokens, acts }),
    passwords: new PasswordService({
      accounts,
      ownPassword,
      newPasswords,
      resetTokens,
      sessions,
      acts,
      throttle,
      actThrottle,
      outbox,
    }),
    corrections: new Corrections({ sessions, acts, actThrottle, accounts, doctors, clock, log }),
    reviews: new ReviewService({
      sessions,
      reviews: openReviews(domain, documents),
      resubmission,
      actThrottle,
      acts,
      audit,
    }),
    leaving: new LeavingService({
      sessions,
      acts,
      actThrottle,
      ownPassword,
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
    foundation: { sessions, newSessions, actThrottle, throttle, acts, secondFactor, cipher },
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
