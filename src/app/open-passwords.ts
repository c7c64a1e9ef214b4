import type { Accounts } from '../auth/accounts.ts';
import type { AuditTrail } from '../auth/audit/audit-trail.ts';
import { ChangePassword } from '../auth/password-changes/change-password.ts';
import { NewPasswords } from '../auth/password-changes/new-passwords.ts';
import { OwnPassword } from '../auth/password-changes/own-password.ts';
import type { PasswordChanges } from '../auth/password-changes/password-changes.ts';
import { PasswordService } from '../auth/password-changes/password-service.ts';
import { ResetPassword } from '../auth/password-changes/reset-password.ts';
import type { ResetTokens } from '../auth/password-changes/reset-tokens.ts';
import type { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import type { RecordedActs } from '../auth/recorded-acts.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { KnownPlaces } from '../auth/throttle/known-places.ts';
import type { LoginThrottle } from '../auth/throttle/login-throttle.ts';
import type { Outbox } from '../mail/outbox.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';

interface PasswordParts {
  accounts: Accounts;
  changes: PasswordChanges;
  resetTokens: ResetTokens;
  hasher: PasswordHasher;
  throttle: LoginThrottle;
  places: KnownPlaces;
  sessions: Sessions;
  acts: RecordedActs;
  audit: AuditTrail;
  outbox: Outbox;
  clock: Clock;
  log: Logger;
}

/** Connects the parts that change and reset passwords. */
export function openPasswords(parts: PasswordParts): PasswordService {
  const newPasswords = new NewPasswords(parts);
  const ownPassword = new OwnPassword(parts);
  const changing = new ChangePassword({ ...parts, ownPassword, newPasswords });
  const resetting = new ResetPassword({ ...parts, newPasswords });
  return new PasswordService({ ...parts, changing, resetting });
}
