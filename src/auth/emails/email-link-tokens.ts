import type { Outbox } from '../../mail/outbox.ts';
import type { Account, StoredAccount } from '../../stores/accounts.ts';
import { emailDigest } from '../../stores/email-key.ts';
import type { EmailLinkStore, StoredEmailLink } from '../../stores/email-links.ts';
import type { Clock } from '../../system/clock.ts';
import {
  boundTo,
  digestOfToken,
  isAccessUnchanged,
  isValidFor,
  type NewLinkToken,
  randomLinkToken,
} from '../link-tokens.ts';

const HOUR_MILLIS = 3_600_000;
/** How long a link is valid. */
export const EMAIL_LINK_HOURS = 24;

/** One mail a minute for each e-mail, as for links to a new password. */
export const LINK_PAUSE_MILLIS = 60_000;

/** Links that prove an e-mail: that of the account, or the one that its owner has asked for. */
export class EmailLinkTokens {
  constructor(
    private readonly store: EmailLinkStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes and stores a link.
   * @param account as it was read with its password
   * @param newEmail the e-mail that the account gets by the link, and to which it is mailed; undefined proves the present one
   */
  async make(account: StoredAccount, newEmail?: string): Promise<NewLinkToken> {
    const token = randomLinkToken();
    const expiresAt = new Date(this.clock.now() + EMAIL_LINK_HOURS * HOUR_MILLIS);
    const change = newEmail !== undefined && { newEmail };
    await this.store.insert({ _id: digestOfToken(token), ...boundTo(account), ...change, expiresAt });
    return { token, expiresAt };
  }

  /**
   * Finds a link. Whether it {@link canBeUsed} is another question.
   * @returns undefined if it is unknown or expired. Both cost one query
   */
  find(token: string): Promise<StoredEmailLink | undefined> {
    return this.store.find(digestOfToken(token), new Date(this.clock.now()));
  }

  /** Removes a link that was used. It is not valid any more by then. */
  remove({ _id }: StoredEmailLink): Promise<void> {
    return this.store.remove(_id);
  }
}

/**
 * True if a link fits its account, and, if it changes the e-mail, this is the e-mail that the owner has asked for last.
 * @param account as it was read with its password
 */
export const canBeUsed = (link: StoredEmailLink, account: StoredAccount): boolean =>
  isValidFor(link, account) && (link.newEmail === undefined || isAskedFor(account, link.newEmail));

/**
 * True if this is the e-mail that the owner of an account has asked for last, and nothing has ended the request.
 * @param account as it was read with its password
 */
export function isAskedFor(account: StoredAccount, newEmail: string): boolean {
  const { emailChange, passwordChange } = account;
  return (
    emailChange?.emailDigest === emailDigest(newEmail) &&
    emailChange.passwordChangeId === (passwordChange?.id ?? null) &&
    (emailChange.byOperator === true || isAccessUnchanged(emailChange, account))
  );
}

/**
 * True while the link may still be used that an operator has asked for: who has the password must not take it back by a change of their own.
 * @param account as it was read with its password
 */
export function isBeingCorrected({ emailChange, passwordChange }: StoredAccount, nowMillis: number): boolean {
  const isValid = emailChange?.passwordChangeId === (passwordChange?.id ?? null);
  const age = nowMillis - (emailChange?.at?.getTime() ?? Number.NEGATIVE_INFINITY);
  // A clock that was ahead blocks nobody.
  return isValid && emailChange?.byOperator === true && age >= 0 && age < EMAIL_LINK_HOURS * HOUR_MILLIS;
}

/**
 * Orders the mail with a link that proves the present e-mail of an account.
 * @param orderedFrom the address of the sender of the request; empty for an operator
 * @throws the database's error
 */
export function orderProof(
  outbox: Outbox,
  { id, email }: Pick<Account, 'id' | 'email'>,
  orderedFrom: string,
): Promise<void> {
  const limit = { key: `e-mail proof ${emailDigest(email)}`, perMillis: LINK_PAUSE_MILLIS };
  return outbox.add({ kind: 'e-mail proof', to: { accountId: id } }, { limit, orderedFrom });
}
