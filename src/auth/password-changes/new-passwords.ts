import type { Outbox } from '../../mail/outbox.ts';
import type { StoredAccount } from '../../stores/accounts.ts';
import type { Clock } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import { type Caller, knownRequester } from '../caller.ts';
import { type PasswordCheck, refusePersonalPassword } from '../passwords/password-check.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import type { KnownPlaces } from '../throttle/known-places.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import type { NewPassword, PasswordChanges } from './password-changes.ts';

interface NewPasswordsParts {
  changes: PasswordChanges;
  hasher: PasswordHasher;
  passwordCheck: PasswordCheck;
  places: KnownPlaces;
  throttle: LoginThrottle;
  outbox: Outbox;
  clock: Clock;
  log: Logger;
}

/** What a person chooses. */
export interface Choice {
  newPassword: string;
  kept: NewPassword['kept'];
  /** Called between the hash and the change; if it throws, nothing is changed. */
  beforeChange?: () => Promise<void>;
}

/** Hashes and sets passwords that people choose, and tells the owner of the account. */
export class NewPasswords {
  constructor(private readonly parts: NewPasswordsParts) {}

  /**
   * Sets a new password. The place where it was chosen is from then on the only known one.
   * @param account as it was read with its password
   * @returns how many tokens were revoked; undefined if the account was changed, disabled or removed since it was read
   * @throws ValidationError on `newPassword` when it contains the person's name or e-mail; ServiceUnavailableError when too many hashes are waiting; what `beforeChange` throws
   */
  async set(
    account: StoredAccount,
    { newPassword, kept, beforeChange }: Choice,
    caller: Caller,
  ): Promise<number | undefined> {
    const { changes, hasher, passwordCheck, places } = this.parts;
    refusePersonalPassword(passwordCheck, newPassword, account, { field: 'newPassword', label: 'password' });
    const passwordHash = await caller.timeBudget.pauseFor(() =>
      hasher.hash(newPassword, knownRequester(caller)),
    );
    await beforeChange?.();
    const knownPlace = places.digest({ email: account.email, ip: caller.ip });
    const revoked = await changes.set(account, { passwordHash, knownPlace, kept });
    if (revoked !== undefined) {
      await this.#afterwards(account, caller);
    }
    return revoked;
  }

  /** The password is set by now, so a failure here does not become the answer. */
  async #afterwards({ _id, email }: StoredAccount, { ip }: Caller): Promise<void> {
    const { outbox, throttle, clock, log } = this.parts;
    const facts = { at: new Date(clock.now()).toISOString() };
    const order = { kind: 'password changed', to: { accountId: _id }, facts } as const;
    const steps = [outbox.add(order, { orderedFrom: ip }), throttle.forgetFailures({ email, ip })];
    await Promise.all(steps).catch((err: unknown) => {
      log.warn({ err, accountId: _id }, 'a password was changed, but its owner was perhaps not told');
    });
  }
}
