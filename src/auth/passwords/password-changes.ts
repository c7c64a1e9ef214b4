import type { Outbox } from '../../mail/outbox.ts';
import { type AccountStore, newId, type SessionsEnding, type StoredAccount } from '../../stores/accounts.ts';
import type { EventNote } from '../../stores/event-notes.ts';
import type { Clock } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import type { AccountData } from '../account-data.ts';
import { type Caller, knownRequester } from '../caller.ts';
import { commit } from '../running-act.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import type { KnownPlaces } from '../throttle/known-places.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import type { AccessTokens } from '../tokens/access-tokens.ts';
import { rememberedDevice } from '../tokens/devices.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { type PasswordCheck, refusePersonalPassword } from './password-rules.ts';

/*
 * How a new password ends the sessions
 *
 * There is no transaction: a lone MongoDB server has none. So one write of the account decides. It sets the new hash together
 * with `passwordChange.ending`, and from then on every token but the kept one is refused (AccessTokens.find). Only then are the
 * tokens removed, and `ending` with them. If the process dies in between, the tokens are still refused, and the next login or
 * change removes them before anything else.
 *
 * A login may have verified the old password before that write, and issue its token after the removal. So each login looks
 * again after it has issued its token (AccountStore.isUnchanged): the id of the change is then another one, and the login fails.
 * Either the login sees the change, or its token was there to be removed.
 *
 * The tokens of links are bound to the id of the change before them, so the same write makes all of them invalid. What has only begun, like a
 * login that waits for a code, is bound to the account's `accessVersion`, which is new, too. What every act ends is in account-endings.ts.
 *
 * Anybody can register the e-mail of a stranger and wait. If a mailed link is the first proof of the e-mail, nothing that whoever
 * registered it has left may give access any more. So the write of a reset, which
 * keeps no token, also forgets the known places, the devices and the pending change of the e-mail, and of such a first proof the second
 * factor and the passkeys; and it opens an account that was closed before anybody had proven its e-mail. Whatever else gives access to an account one day must end here, too. Every other reset keeps them: whoever reads the mails of
 * an account must not get around a second factor.
 */

interface PasswordChangesParts {
  accounts: AccountStore;
  tokens: AccessTokens;
  accountData: AccountData;
  hasher: PasswordHasher;
  passwordCheck: PasswordCheck;
  knownPlaces: KnownPlaces;
  loginThrottle: LoginThrottle;
  actThrottle: ActThrottle;
  outbox: Outbox;
  clock: Clock;
  log: Logger;
}

/** The password that a person has chosen. */
export interface ChosenPassword {
  newPassword: string;
  /** The token that stays valid, null for none; `all` revokes none. */
  kept: 'all' | { tokenId: string | null };
  /** The note of an act whose mailed link is the first proof of the e-mail. */
  firstProof?: EventNote | undefined;
}

/** Sets the passwords that people choose, ends the sessions and the links that these end, and tells the owner of the account. */
export class PasswordChanges {
  constructor(private readonly parts: PasswordChangesParts) {}

  /**
   * Hashes and sets a new password, unless the account was changed, disabled or removed since it was read. The place and the device
   * where it was chosen are from then on the only known ones; after a reset, which keeps no token, no device is known.
   * @param account as it was read with its password
   * @returns how many tokens were revoked; undefined if nothing was set
   * @throws ValidationError on `newPassword` when it contains the person's name or e-mail; ServiceUnavailableError when too many hashes
   *   are waiting; the database's error: then it is not known whether the password was set
   */
  async set(account: StoredAccount, chosen: ChosenPassword, caller: Caller): Promise<number | undefined> {
    const { accounts, hasher, passwordCheck, knownPlaces, clock } = this.parts;
    const { newPassword, kept, firstProof } = chosen;
    refusePersonalPassword(passwordCheck, newPassword, account, { field: 'newPassword', label: 'password' });
    const passwordHash = await caller.timeBudget.pauseFor(() =>
      hasher.hash(newPassword, knownRequester(caller)),
    );
    // A kept token must not stay valid by a change that replaces another, unfinished one.
    await this.finish(account);
    const isReset = kept !== 'all' && kept.tokenId === null;
    const device = isReset ? undefined : rememberedDevice(caller.userAgent);
    const sessions = kept === 'all' ? undefined : { id: newId(), keptTokenId: kept.tokenId };
    const change = {
      passwordHash,
      knownPlaces: [knownPlaces.digest({ email: account.email, ip: caller.ip })],
      ...(device !== undefined && { knownDevices: [device] }),
      ...{ sessions, firstProof },
    };
    if (!(await commit(() => accounts.setPassword(account, change, new Date(clock.now()))))) {
      return undefined;
    }
    const revoked = await this.#clear(account, sessions, firstProof !== undefined);
    await this.#notifyOwner(account, isReset, caller);
    return revoked;
  }

  /**
   * Removes the tokens that an earlier act has ended, if a crash has left them.
   * @param account as it was read with its password
   * @returns how many
   * @throws the database's error
   */
  async finish({ _id, passwordChange }: Pick<StoredAccount, '_id' | 'passwordChange'>): Promise<number> {
    return passwordChange?.ending ? this.endSessions(_id, passwordChange.ending) : 0;
  }

  /** Does {@link finish} for an end of sessions that was just stored. */
  async endSessions(accountId: string, ending: SessionsEnding): Promise<number> {
    const { accounts, tokens } = this.parts;
    // Otherwise a slow login would remove the tokens of logins after the change.
    if (!(await accounts.isEndingSessions(accountId, ending))) {
      return 0;
    }
    const { keptTokenId } = ending;
    const revoked = await (keptTokenId === null
      ? tokens.revokeAll(accountId)
      : tokens.revokeOthers(accountId, keptTokenId));
    await accounts.noteSessionsEnded(accountId, ending);
    return revoked;
  }

  /** The password is set by now, so the caller gets a success in any case. What is left is refused, and removed later. */
  async #clear(
    account: StoredAccount,
    sessions: SessionsEnding | undefined,
    hadFactors: boolean,
  ): Promise<number> {
    const { accountData, log } = this.parts;
    const { _id } = account;
    try {
      await accountData.end('password change', _id);
      if (hadFactors) {
        await accountData.removeFactors(account);
      }
      return sessions ? await this.endSessions(_id, sessions) : 0;
    } catch (err) {
      log.warn({ err, accountId: _id }, 'a password was changed, but not all that it ends was removed');
      return 0;
    }
  }

  /** The password is set by now, so a failure here does not become the answer. */
  async #notifyOwner({ _id, email }: StoredAccount, isReset: boolean, { ip }: Caller): Promise<void> {
    const { outbox, loginThrottle, actThrottle, clock, log } = this.parts;
    const facts = { at: new Date(clock.now()).toISOString() };
    const order = { kind: 'password changed', to: { accountId: _id }, facts } as const;
    const steps = [
      outbox.add(order, { orderedFrom: ip }),
      loginThrottle.afterNewPassword({ email, ip }),
      isReset && actThrottle.forget('new-recovery-codes', _id),
    ];
    await Promise.all(steps).catch((err: unknown) => {
      log.warn({ err, accountId: _id }, 'a password was changed, but its owner was perhaps not told');
    });
  }
}
