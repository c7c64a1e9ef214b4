import type { AttemptStore } from '../../stores/attempts.ts';
import { emailKey } from '../../stores/email-key.ts';
import type { ActLimit } from './act-throttle.ts';
import { digest } from './throttle-limits.ts';

/** The counters of LoginThrottle that refuse logins to one e-mail. */
const OF_EMAIL = ['pair', 'known-pair', 'email', 'right-logins'];
/** The counters of ActThrottle that refuse codes, and renewals of recovery codes, of one account. */
const OF_ACCOUNT: readonly ActLimit[] = ['codes', 'account-codes', 'new-recovery-codes'];

/**
 * Forgets the failed and right logins, the wrong codes and the renewals of recovery codes of one account, from all places. The limits
 * of networks stay.
 * @returns how many counts there were
 */
export function forgetAttempts(
  attempts: AttemptStore,
  { id, email }: { id: string; email: string },
): Promise<number> {
  const ofEmail = digest(emailKey(email));
  const ofAccount = digest(id);
  return attempts.forgetAll([
    ...OF_EMAIL.map((name) => `${name}:${ofEmail}`),
    ...OF_ACCOUNT.map((name) => `${name}:${ofAccount}`),
  ]);
}
