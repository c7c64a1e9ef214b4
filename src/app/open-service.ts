import { accountMails } from '../auth/account-mails.ts';
import { AuthService } from '../auth/auth-service.ts';
import { ForwardAuthentication } from '../auth/forward-authentication.ts';
import type { Erasure } from '../auth/leaving/erasure.ts';
import type { LeavingService } from '../auth/leaving/leaving-service.ts';
import { Login } from '../auth/login.ts';
import { NewPasswords, PasswordChanges } from '../auth/passwords/new-passwords.ts';
import type { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import type { PasswordCheck } from '../auth/passwords/password-rules.ts';
import { PasswordService } from '../auth/passwords/password-service.ts';
import { Registration } from '../auth/registration.ts';
import { Resubmission } from '../auth/reviews/resubmission.ts';
import { ReviewService } from '../auth/reviews/review-service.ts';
import { Reviews, Verifications } from '../auth/reviews/reviews.ts';
import { ServiceAuthentication } from '../auth/service-authentication.ts';
import type { Config } from '../config/config.ts';
import type { Outbox } from '../mail/outbox.ts';
import { type Core, openCore, type ServiceParts } from './open-core.ts';
import { openLeaving } from './open-leaving.ts';
import type { Storage } from './open-storage.ts';
import type { SecretHolder } from './secret-holder.ts';

/** The service behind both APIs. */
export interface Service extends SecretHolder {
  auth: AuthService;
  passwords: PasswordService;
  reviews: ReviewService;
  leaving: LeavingService;
  erasure: Erasure;
  services: ServiceAuthentication;
  forwardAuthentication: ForwardAuthentication;
  verifications: Verifications;
  hasher: PasswordHasher;
  passwordCheck: PasswordCheck;
  /** Takes orders for mails. */
  outbox: Outbox;
  /**
   * Starts the delivery of mails, if there is a mail server.
   * @returns a function that stops it
   */
  deliverMails(): () => Promise<void>;
  /** Writes the token uses and audit events that are still in memory. */
  close(): Promise<unknown>;
}

/** Connects the parts of the service. */
export function openService(parts: ServiceParts): Service {
  const { config, storage } = parts;
  const core = openCore(parts);
  const { doctors, hasher, passwordCheck, actThrottle, audit, mail, outbox, uses } = core;
  const passwordChanges = new PasswordChanges(core);
  // With SMTP_URL it is set.
  const { passwordResetUrl: resetUrlTemplate = '' } = config;
  const verifications = new Verifications(doctors);
  const services = new ServiceAuthentication({ secrets: config.services, actThrottle, audit });
  return {
    auth: openAuth(core, passwordChanges, config, storage),
    passwords: openPasswords(core, passwordChanges),
    reviews: openReviews(core),
    ...openLeaving({ ...core, config, storage }),
    services,
    verifications,
    forwardAuthentication: new ForwardAuthentication({ ...core, verifications }),
    hasher,
    passwordCheck,
    outbox,
    deliverMails: () => mail.deliver(accountMails({ ...core, resetUrlTemplate })),
    takeSecrets: (next) => {
      services.replaceSecrets(next.services);
      if (next.mail) {
        mail.replaceSettings(next.mail);
      }
    },
    close: () => Promise.all([uses.close(), audit.close()]),
  };
}

function openAuth(
  core: Core,
  passwordChanges: PasswordChanges,
  config: Config,
  { ids }: Storage,
): AuthService {
  const { maxTokensPerAccount } = config;
  const registration = new Registration({ ...core, ids: ids.accounts });
  const login = new Login({ ...core, passwordChanges, maxTokensPerAccount });
  return new AuthService({ ...core, registration, login });
}

function openPasswords(core: Core, changes: PasswordChanges): PasswordService {
  return new PasswordService({ ...core, newPasswords: new NewPasswords({ ...core, changes }) });
}

function openReviews(core: Core): ReviewService {
  const reviews = new Reviews(core);
  return new ReviewService({ ...core, reviews, resubmission: new Resubmission(core) });
}
