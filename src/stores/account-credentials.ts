import { hash } from 'node:crypto';
import { type EndingAct, renewalBy } from './account-endings.ts';
import { AccountLifeCycle } from './account-life-cycle.ts';
import { factorsOf, isOpenedByReset, type SessionsEnding, type StoredAccount } from './account-record.ts';
import { emailKey } from './email-key.ts';
import { type EventNote, noting } from './event-notes.ts';
import { STAFF_ROLES } from './roles.ts';

/** What a change of the password sets. */
interface PasswordUpdate extends Required<Pick<StoredAccount, 'passwordHash' | 'knownPlaces'>> {
  /** Absent after a reset: then the account knows no device. */
  knownDevices?: string[];
  /** Absent if the sessions stay. */
  sessions?: SessionsEnding | undefined;
  /** The note of an act whose mailed link is the first proof of the e-mail. It is stored if the act opens the account. */
  firstProof?: EventNote | undefined;
}

/** What logins and changes of the password read and write: hashes, known networks, and the end of the sessions. */
export abstract class AccountCredentials extends AccountLifeCycle {
  /** Finds the account of an e-mail with all that a check of its password needs. Only for a login. */
  async findForLogin(email: string): Promise<StoredAccount | undefined> {
    return this.records.first(withEmail(email));
  }

  /** Finds an account like {@link findForLogin}, by its id. Only where its password is checked or set. */
  async findWithPassword(id: string): Promise<StoredAccount | undefined> {
    return this.records.first({ _id: id });
  }

  /** True if any account has logged in from the network with this digest. Digests differ for each account. */
  knowsNetwork(digest: string): Promise<boolean> {
    return this.records.exists({ knownPlaces: digest });
  }

  /**
   * Replaces the known places and devices of an account, unless its password was changed since it was read.
   * @param account as it was read with its password
   * @param known what is replaced
   * @param newDevice a device that the account did not know. If it knows it meanwhile, nothing is replaced
   * @returns false if nothing was replaced
   */
  async rememberOrigin(
    { _id, passwordChange }: StoredAccount,
    known: Pick<StoredAccount, 'knownPlaces' | 'codePlaces' | 'knownDevices'>,
    newDevice: string | undefined,
  ): Promise<boolean> {
    // A change of the password has forgotten what was known before it.
    const filter = {
      ...{ _id, ...withChange(passwordChange?.id) },
      ...(newDevice !== undefined && { knownDevices: { $ne: newDevice } }),
    };
    return this.records.update(filter, { $set: known });
  }

  /**
   * Sets a new password: the commit point of a change. It ends a pending change of the e-mail, and may open the account
   * ({@link isOpenedByReset}).
   * @param account as it was read with its password
   * @returns false if the password or the e-mail was changed since, or the account is not active any more. Then nothing was set
   */
  async setPassword(
    account: StoredAccount,
    { passwordHash, knownPlaces, knownDevices, sessions, firstProof }: PasswordUpdate,
    now: Date,
  ): Promise<boolean> {
    const { _id, email, emailKey: key, passwordChange } = account;
    // A reset token that was sent to another e-mail must not win a race against its change.
    const opens = firstProof !== undefined && isOpenedByReset(account);
    const closed = { closedByOwner: true, erasingSince: null, legacyAbsence: null } as const;
    const state = opens ? closed : { disabledAt: null };
    const filter = { _id, email, ...state, ...withChange(passwordChange?.id) };
    // Whoever registered the e-mail of a stranger may have left a second factor or a passkey (password-changes.ts).
    // Nobody registers as one of the staff.
    const endsFactors = firstProof && !STAFF_ROLES.includes(account.role);
    const change = {
      $set: {
        ...{ passwordHash, knownPlaces, updatedAt: now, ...renewalBy('password change', sessions) },
        ...(knownDevices && { knownDevices }),
        ...(firstProof && { emailProof: { emailKey: key, at: now } }),
        ...(opens && { disabledAt: null }),
      },
      $unset: {
        ...{ upgradedFrom: true as const, emailChange: true as const },
        ...(!knownDevices && { knownDevices: true as const }),
        ...(firstProof && { codePlaces: true as const }),
        ...(opens && { erasureDueAt: true as const, closedByOwner: true as const }),
        ...(endsFactors && { factors: true as const, passkeys: true as const }),
      },
    };
    const noted = opens ? noting(change, { ...firstProof, act: 'enabling' }) : change;
    return this.records.update(filter, noted);
  }

  /**
   * Replaces a hash by a stronger one of the same password, unless it was replaced in the meantime. An imported account
   * remembers its imported hash by a digest: the move from the legacy service does not take the upgrade for a new password.
   */
  async replaceHash({ _id, passwordHash, upgradedFrom }: StoredAccount, newHash: string): Promise<void> {
    const isImported = !isSpelledAsOwn(passwordHash) && upgradedFrom === undefined;
    const from = isImported && { upgradedFrom: digestOfHash(passwordHash) };
    const change = { $set: { passwordHash: newHash, ...from } };
    await this.records.update({ _id, passwordHash }, change);
  }

  /** True if an account is active and nothing that gives access to it has changed since it was read. */
  isUnchanged(account: StoredAccount): Promise<boolean> {
    const { _id, passwordChange } = account;
    const asRead = { ...withChange(passwordChange?.id), ...withAccess(account), ...withFactors(account) };
    return this.records.exists({ _id, disabledAt: null, ...asRead });
  }

  /** True if tokens may still be there that this has ended. */
  isEndingSessions(id: string, ending: SessionsEnding): Promise<boolean> {
    return this.records.exists({ _id: id, ...withEnding(ending) });
  }

  /** Notes that the tokens are removed that this has ended. */
  async noteSessionsEnded(id: string, ending: SessionsEnding): Promise<void> {
    const change = { $unset: { 'passwordChange.ending': true as const } };
    await this.records.update({ _id: id, ...withEnding(ending) }, change);
  }

  /** Ends what has begun to give access to an account: see {@link StoredAccount.accessVersion}. */
  async renewAccess(ids: readonly string[], act: EndingAct): Promise<void> {
    await this.records.updateAll({ _id: { $in: [...ids] } }, { $set: renewalBy(act) });
  }
}

/** The filter for the account of an e-mail. */
export const withEmail = (email: string) => ({ emailKey: emailKey(email) });

/** The filter for accounts whose last change of the password is this one; undefined for no change. */
export const withChange = (changeId: string | undefined) => ({
  // The driver's types do not know that null finds an absent field.
  'passwordChange.id': (changeId ?? null) as string,
});

/** The filter for accounts with this end of their sessions. */
const withEnding = ({ id, keptTokenId }: SessionsEnding) => ({
  // Those of an earlier version have no id. The driver's types do not know that null finds an absent field.
  'passwordChange.ending.id': (id ?? null) as string,
  'passwordChange.ending.keptTokenId': keptTokenId,
  'passwordChange.ending': { $exists: true },
});

/** The filter for accounts to which access has not changed since this was read. */
export const withAccess = ({ accessVersion }: Pick<StoredAccount, 'accessVersion'>) => ({
  // The driver's types do not know that null finds an absent field.
  accessVersion: (accessVersion ?? null) as string,
});

/** The filter for accounts that have the app, the recovery codes and the passkeys of this one, or none as it has none. */
export const withFactors = (account: StoredAccount) => {
  const { app = null, codes = null }: { app?: string | null; codes?: string | null } =
    factorsOf(account) ?? {};
  // The driver's types do not know that null finds an absent field.
  return {
    'factors.app': app as string,
    'factors.codes': codes as string,
    // As it is stored, whoever has stored it.
    passkeys: { $eq: account.passkeys ?? null },
  };
};

/** PHP spells the same algorithm `$2y$`. */
const OWN_SPELLING = '$2b$';

/** True for a hash of this service, and for one that another program has made in the same spelling. */
export const isSpelledAsOwn = (passwordHash: string): boolean => passwordHash.startsWith(OWN_SPELLING);

const DIGEST_CHARACTERS = 16;

/**
 * A short digest of a password's hash, in hexadecimal digits. It proves that a hash was this one. It gives away neither the
 * hash nor a way to try passwords, because the salt is not in it.
 */
export const digestOfHash = (passwordHash: string): string =>
  hash('sha256', passwordHash).slice(0, DIGEST_CHARACTERS);
