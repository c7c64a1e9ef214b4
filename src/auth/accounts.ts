import {
  type Account,
  type AccountStore,
  type KnownAccount,
  type NewAccountRecord,
} from '../stores/accounts.ts';
import { NotFoundError, ValidationError } from '../system/errors/errors.ts';

const emailTaken = () => new ValidationError({ email: ['The email has already been taken.'] });

/** @throws ValidationError on `email` when an account has it. Only the unique index is certain; this check comes earlier */
export async function refuseTakenEmail(accounts: AccountStore, email: string): Promise<void> {
  if (await accounts.hasEmail(email)) {
    throw emailTaken();
  }
}

/**
 * Inserts an account: the commit point of a registration.
 * @throws ValidationError on `email` when another registration was faster; the database's error if the id is taken
 */
export async function insertAccount(accounts: AccountStore, account: NewAccountRecord): Promise<Account> {
  const stored = await accounts.insert(account);
  if (!stored) {
    throw emailTaken();
  }
  return stored;
}

/**
 * Gives an account another e-mail.
 * @param account as it was read. If its e-mail has changed since, nothing happens
 * @throws ValidationError on `email` when another account has it, also one that registers at the same time;
 *   NotFoundError when the account has changed or gone, or its erasure has begun
 */
export async function changeEmail(
  accounts: AccountStore,
  { id, email: former }: KnownAccount,
  email: string,
  now: Date,
): Promise<void> {
  const outcome = await accounts.setEmail(id, former, email, now);
  if (outcome === 'taken') {
    throw emailTaken();
  }
  if (outcome === 'changed') {
    throw new NotFoundError('The account was changed or removed meanwhile. Nothing was done.');
  }
}
