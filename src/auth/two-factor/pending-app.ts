import { newId, type StoredAccount } from '../../stores/accounts.ts';
import type { FactorStore, StoredApp } from '../../stores/factors.ts';
import type { Clock } from '../../system/clock.ts';
import { broken } from '../../system/error-details.ts';
import { ValidationError } from '../../system/errors.ts';
import { commit } from '../running-act.ts';
import { type AppEnrolment, enrolmentOf, newAppSecret } from './authenticator-app.ts';
import type { SecretCipher } from './secret-cipher.ts';

/** How long a new app waits for its first code. */
const PENDING_MILLIS = 1_800_000;

const NO_PENDING = { code: broken('state', 'There is no authenticator app to confirm. Begin again.') };

interface PendingAppParts {
  factors: FactorStore;
  cipher: SecretCipher;
  /** TWO_FACTOR_ISSUER. */
  twoFactorIssuer: string;
  clock: Clock;
}

/**
 * Stores a new app, which waits for its first code. An earlier one cannot be confirmed any more.
 * @param account as it was read when its owner was proven
 * @returns its secret, the only copy
 */
export async function addPendingApp(
  { _id: accountId, email, accessVersion }: StoredAccount,
  { factors, cipher, twoFactorIssuer, clock }: PendingAppParts,
): Promise<AppEnrolment> {
  const [_id, secret, now] = [newId(), newAppSecret(), clock.now()];
  const encrypted = cipher.encrypt(secret, { accountId, factorId: _id });
  const [createdAt, expiresAt] = [new Date(now), new Date(now + PENDING_MILLIS)];
  const pending = { createdAt, expiresAt, accessVersion: accessVersion ?? null };
  await commit(() => factors.insertApp({ _id, accountId, ...encrypted, ...pending }).then(() => true));
  // The newest counts, so an earlier one that is left gives nothing, and ends with its time.
  await factors.removePending(accountId, expiresAt).catch(() => {});
  return enrolmentOf(secret, twoFactorIssuer, email);
}

/**
 * The app of an account that waits for its first code.
 * @throws ValidationError on `code` if there is none, or access to the account has changed since
 */
export async function requirePendingApp(
  factors: FactorStore,
  account: StoredAccount,
  now: Date,
): Promise<StoredApp> {
  return (await factors.findPendingApp(account, now)) ?? noPendingApp();
}

/** @throws ValidationError */
export function noPendingApp(): never {
  throw new ValidationError(NO_PENDING);
}
