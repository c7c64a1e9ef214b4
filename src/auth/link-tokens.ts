import { createHash, randomBytes } from 'node:crypto';
import type { StoredAccount } from '../stores/accounts.ts';
import { emailDigest } from '../stores/email-key.ts';

/*
 * The tokens of links that are mailed: those to choose a new password, and those that prove an e-mail (OWASP ASVS 6.4.3, Forgot
 * Password Cheat Sheet).
 */

const TOKEN_BYTES = 32;
/** {@link TOKEN_BYTES} in base64url. */
const SHAPE = /^[\w-]{43}$/;

/** A new token. Its plain text is shown only once, to the owner of the account. */
export interface NewLinkToken {
  token: string;
  expiresAt: Date;
}

/** What a token is bound to: it is valid until the next change of the e-mail or the password. */
interface Binding {
  accountId: string;
  emailDigest: string;
  passwordChangeId: string | null;
}

/** A random token in base64url. */
export const randomLinkToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** The stored form of a token: SHA-256, in hex. A text of another shape has the digest of no token. */
export const digestOfToken = (token: string): string =>
  createHash('sha256')
    .update(SHAPE.test(token) ? token : '')
    .digest('hex');

/**
 * What a new token is bound to.
 * @param account as it was read with its password
 */
export const boundTo = ({ _id, email, passwordChange }: StoredAccount): Binding => ({
  accountId: _id,
  emailDigest: emailDigest(email),
  passwordChangeId: passwordChange?.id ?? null,
});

/**
 * True if a token is valid for its account, which can be used.
 * @param account as it was read with its password
 */
export const isValidFor = (token: Binding, account: StoredAccount): boolean =>
  !account.disabledAt && isBoundTo(token, account);

/**
 * True if neither the e-mail nor the password of an account has changed since a token was made for it.
 * @param account as it was read with its password
 */
export function isBoundTo(token: Binding, account: StoredAccount): boolean {
  const { accountId, emailDigest, passwordChangeId } = boundTo(account);
  return (
    token.accountId === accountId &&
    token.emailDigest === emailDigest &&
    token.passwordChangeId === passwordChangeId
  );
}

/**
 * True if nothing that gives access to an account has changed since something was begun with it as it was read.
 * @param begun with the {@link StoredAccount.accessVersion} from then; null or absent if there was none
 */
export const isAccessUnchanged = (
  begun: { accessVersion?: string | null },
  { accessVersion }: Pick<StoredAccount, 'accessVersion'>,
): boolean => (begun.accessVersion ?? null) === (accessVersion ?? null);

/** The URL of a link. */
export const linkUrl = (template: string, token: string): string => template.replace('{token}', token);
