import { type EndingAct, endingsOf } from '../stores/account-endings.ts';
import { factorIdsOf, factorsOf, passkeysOf, type StoredAccount } from '../stores/accounts.ts';
import type { PendingMessage } from '../stores/messages.ts';
import type { StoredPasskey } from '../stores/passkeys.ts';
import type { Stores } from '../stores/stores.ts';
import type { Logger } from '../system/log.ts';

type Owner = Pick<StoredAccount, '_id' | 'email' | 'emailKey'>;

/** A password reset that somebody has asked for. */
export interface PendingReset {
  expiresAt: Date | null;
}

/** A second factor without its secrets. */
export interface SecondFactorData {
  /** When its authenticator app was confirmed. */
  confirmedAt: Date | null;
  recoveryCodesLeft: number;
}

/** A passkey as its owner sees it: all that is stored of it but the public key. */
export interface PasskeyData {
  id: string;
  /** In base64url. */
  credentialId: string;
  name: string;
  createdAt: Date | null;
  lastUsedAt: Date | null;
  /** True if it is copied to other devices of its owner. */
  backedUp: boolean;
}

/** A link that proves an e-mail and was not used. */
export interface PendingEmailLink extends PendingReset {
  /** The e-mail that the account gets by it; null if it proves the present one. */
  newEmail: string | null;
}

/** The short-lived records of an account: access tokens, the tokens of links, and mails. */
export class AccountData {
  constructor(
    private readonly stores: Pick<
      Stores,
      'accessTokens' | 'challenges' | 'emailLinks' | 'factors' | 'messages' | 'passkeys' | 'resetTokens'
    >,
    private readonly log: Logger,
  ) {}

  /**
   * Removes what an act ends of an account (account-endings.ts), after the write of the account that has ended it.
   * @returns how many access tokens there were, of an act that ends all
   */
  async end(act: EndingAct, accountId: string): Promise<number> {
    const { renews, tokens, removesLinks } = endingsOf(act);
    const removed = tokens === 'all' ? await this.stores.accessTokens.revokeAll(accountId) : 0;
    if (renews === 'both' || removesLinks) {
      await this.stores.resetTokens.removeAll(accountId);
      await this.stores.emailLinks.removeAll(accountId);
    }
    if (renews !== 'none') {
      await this.stores.challenges.removeAll(accountId);
      await this.stores.factors.removePending(accountId);
    }
    return removed;
  }

  /** Does {@link end} for an act that is done, even if this fails: what is left gives nothing. */
  endAfter(act: EndingAct, accountId: string): Promise<number> {
    return this.end(act, accountId).catch((err: unknown) => {
      this.log.warn({ err, accountId, act }, 'what an act has ended was not all removed');
      return 0;
    });
  }

  /** Removes the second factors and passkeys that an account had when it was read. */
  async removeFactors(account: Pick<StoredAccount, 'factors' | 'passkeys'>): Promise<void> {
    await this.stores.factors.remove(factorIdsOf(account));
    await this.stores.passkeys.remove(passkeysOf(account).ids);
  }

  /** Removes a passkey that the account does not name any more, and the factors that went with it. What is left gives nothing. */
  async removePasskey(accountId: string, id: string, factorIds: readonly string[]): Promise<void> {
    const removed = [this.stores.passkeys.remove([id]), this.stores.factors.remove(factorIds)];
    await Promise.all(removed).catch((err: unknown) => {
      this.log.warn({ err, accountId }, 'the record of a passkey was not removed');
    });
    await this.endAfter('passkey removal', accountId);
  }

  /** Removes all that is stored of second factors and passkeys, of an account that is being erased. */
  async eraseFactors(accountId: string): Promise<void> {
    await this.stores.factors.removeAll(accountId);
    await this.stores.passkeys.removeAll(accountId);
  }

  /** The passkeys of an account, the oldest first. */
  async passkeys(account: Pick<StoredAccount, 'passkeys'>): Promise<PasskeyData[]> {
    const { ids } = passkeysOf(account);
    const found = ids.length > 0 ? await this.stores.passkeys.findMany(ids) : [];
    return found.map(passkeyDataOf);
  }

  /** App and recovery codes of an account; null if it has neither. */
  async secondFactor(account: Pick<StoredAccount, 'factors'>): Promise<SecondFactorData | null> {
    const on = factorsOf(account);
    if (!on) {
      return null;
    }
    const [app, codes] = await Promise.all([
      on.app === undefined ? undefined : this.stores.factors.findApp(on.app),
      on.codes === undefined ? undefined : this.stores.factors.findCodes(on.codes),
    ]);
    return { confirmedAt: dateOf(app?.confirmedAt), recoveryCodesLeft: codes?.codes.length ?? 0 };
  }

  /** Removes the mails to an account, also those that were ordered by its e-mail. */
  async removeMails(owner: Owner): Promise<void> {
    await this.stores.messages.removeFor(owner);
  }

  /** The password resets that are still possible. */
  async pendingResets(accountId: string): Promise<PendingReset[]> {
    const found = await this.stores.resetTokens.pending(accountId);
    return found.map(({ expiresAt }) => ({ expiresAt: dateOf(expiresAt) }));
  }

  /** The links that prove an e-mail and were not used. */
  async pendingEmailLinks(accountId: string): Promise<PendingEmailLink[]> {
    const found = await this.stores.emailLinks.pending(accountId);
    return found.map(({ newEmail, expiresAt }) => ({
      newEmail: newEmail ?? null,
      expiresAt: dateOf(expiresAt),
    }));
  }

  /** The mails that are not sent yet. */
  pendingMails(owner: Owner): Promise<PendingMessage[]> {
    return this.stores.messages.pendingFor(owner);
  }
}

/** A passkey as its owner sees it. */
export const passkeyDataOf = (stored: StoredPasskey): PasskeyData => {
  const { _id: id, credentialId, name, createdAt, lastUsedAt, isBackedUp } = stored;
  const [created, lastUsed] = [dateOf(createdAt), dateOf(lastUsedAt)];
  return { id, credentialId, name, createdAt: created, lastUsedAt: lastUsed, backedUp: isBackedUp };
};

const dateOf = (value: unknown): Date | null => (value instanceof Date ? value : null);
