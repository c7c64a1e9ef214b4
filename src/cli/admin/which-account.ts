import { trim } from '../../auth/account-texts.ts';
import type { WhichAccount } from '../../auth/admin/account-directory.ts';
import { UsageError } from '../usage-error.ts';
import type { Options } from './command.ts';

/** The options that name one account. `--id` is the same as `--account`. */
export const WHICH_ACCOUNT = {
  usage: '(--email E | --account ID)',
  options: ['email', 'account', 'id'],
} as const;

/** No e-mail is longer. To compare e-mails takes quadratic time. */
const MAX_EMAIL_CHARACTERS = 1_024;

/**
 * Reads which account a command is about.
 * @throws UsageError unless exactly one is named
 */
export function whichAccount({
  email,
  account,
  id,
}: Pick<Options, 'email' | 'account' | 'id'>): WhichAccount {
  const accountId = account ?? id;
  if (account !== undefined && id !== undefined) {
    throw new UsageError('Here --id and --account are the same: give one of them.');
  }
  if ((email ? 1 : 0) + (accountId ? 1 : 0) !== 1) {
    throw new UsageError('Say which account: either --email E or --account ID.');
  }
  return accountId ? { accountId } : { email: readEmail(email ?? '') };
}

/**
 * Reads an e-mail to look for.
 * @throws UsageError
 */
export function readEmail(email: string): string {
  if (email.length > MAX_EMAIL_CHARACTERS) {
    throw new UsageError('--email is too long for an e-mail.');
  }
  return trim(email);
}
