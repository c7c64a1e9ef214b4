import { Schema, Types } from 'mongoose';
import { EVENT_NOTES, type EventNote } from './event-notes.ts';
import type { Role } from './roles.ts';

/**
 * The end of the access tokens of an account but one. It is stored until they are removed, and meanwhile only the kept one is valid. So
 * sessions end together with the old password, even if the process dies in between.
 */
export interface SessionsEnding {
  /** New for each. Absent in those of an earlier version. */
  id?: string;
  /** Null keeps none. */
  keptTokenId: string | null;
}

/** The last change of the password or the e-mail of an account, and the end of its access tokens by this or another act. */
interface PasswordChange {
  /**
   * New for each change of the password or the e-mail; absent before the first. A link from before is not valid any more, not even if the
   * former e-mail comes back.
   */
  id?: string;
  ending?: SessionsEnding;
}

/** Proof that the owner of an account reads the mails to an e-mail: a link that was mailed to it was used. */
export interface EmailProof {
  /** {@link emailKey} of that e-mail. It is a proof only while this is the key of the account, whoever changes the e-mail. */
  emailKey: string;
  at: Date;
}

/** The e-mail that the owner of an account or an operator has asked for, until a link that is mailed to it is used. */
interface EmailChange {
  /** Digest of the new e-mail. The links of this e-mail are valid, and no others. */
  emailDigest: string;
  /** The last change of the password or the e-mail before the request; null if there was none. Another one ends the request. */
  passwordChangeId: string | null;
  /** The {@link StoredAccount.accessVersion} at the request of the owner. Another one ends it, but not the request of an operator. */
  accessVersion?: string | null;
  /** Present if an operator has asked, not the owner. */
  byOperator?: true;
  /** When an operator has asked. Absent in requests of owners and of earlier versions. */
  at?: Date;
}

/**
 * An imported account that the legacy service does not have any more: its row was deleted there, soft-deleted, or got a role that
 * does not move. Nothing of it is removed, because the row may return. Until then the account is closed: `disabledAt` is set, as
 * every release checks it, and its e-mail is free.
 */
interface LegacyAbsence {
  since: Date;
  /** What `disabledAt` was before, or what an operator has decided since. It returns with the row. */
  disabledAt: Date | null;
}

/**
 * The second factors of an account that are on, by their kinds: the ids of its authenticator app and of its recovery codes
 * (factors.ts). An account whose second factors are passkeys may have recovery codes alone.
 */
export interface AccountFactors {
  app?: string;
  codes?: string;
}

/** The passkeys of an account. */
export interface AccountPasskeys {
  /** The id of the account for authenticators (WebAuthn section 4, user handle): 32 random bytes in base64url, made once. */
  handle: string;
  /** The ids of the records (passkeys.ts). */
  ids: string[];
}

/** What the owner of an account can correct in it. A field that is absent stays. */
export type AccountCorrection = Partial<Pick<StoredAccount, 'name' | 'phone' | 'dateOfBirth' | 'language'>>;

/** A stored account. Ids are opaque strings: imported legacy accounts keep their number, as a string. */
export interface StoredAccount {
  _id: string;
  name: string;
  /** As entered, with its upper and lower case letters. */
  email: string;
  /**
   * {@link emailKey} of the e-mail. Logins look it up, and it is unique. An account with an {@link LegacyAbsence} has one that is
   * no e-mail's.
   */
  emailKey: string;
  phone: string | null;
  /** By these a search finds the account (account-search.ts). */
  nameWords?: string[];
  phoneDigits?: string | null;
  /** `YYYY-MM-DD`, without a time zone. Null or absent if it was not given. */
  dateOfBirth?: string | null;
  role: Role;
  /**
   * The language of the mails to it, as `MAIL_LANGUAGES` has it: what its owner prefers. Absent if that is unknown, also in imported
   * accounts and in accounts of earlier versions. No change of it counts as one of the account record.
   */
  language?: string | null;
  passwordHash: string;
  /** Null in imported accounts without a time of creation. */
  createdAt: Date | null;
  /** When a field of the account record last changed. Absent in accounts that never changed: then it is `createdAt`. */
  updatedAt?: Date | null;
  // These fields say which state the account is in: account-life-cycle.ts.
  /** When it was disabled; null if it is enabled. A disabled account cannot log in. */
  disabledAt: Date | null;
  /** Absent (or null) in all accounts but those that the legacy service does not have any more. */
  legacyAbsence?: LegacyAbsence | null;
  /** When a closed account is erased; absent (or null) in all others. Closed accounts are disabled, too. */
  erasureDueAt?: Date | null;
  /** Present if its owner has closed it, and no operator has decided about it since. {@link isOpenedByReset} reads it. */
  closedByOwner?: true;
  /** When its erasure began; absent (or null) before. From then on it cannot be enabled. */
  erasingSince?: Date | null;
  /**
   * Digests of the networks from which a login has succeeded, the newest at the end. Absent in imported accounts and in
   * accounts of earlier versions until their next login.
   */
  knownPlaces?: string[];
  /**
   * Digests of the networks where a second factor was proven, the newest at the end: there, wrong codes from elsewhere do not count.
   * A new password keeps them, unless it comes with the first proof of the e-mail.
   */
  codePlaces?: string[];
  /**
   * Names of the devices from which a login has succeeded, the newest at the end. Absent until the first login after the
   * registration, an import, a reset of the password or a change of the e-mail, and in accounts of earlier versions.
   */
  knownDevices?: string[];
  /**
   * Digest of the imported hash that a login here has replaced, so that the upgrade is no change of the password. An imported hash
   * that is spelled like those of this service has it from the import on.
   */
  upgradedFrom?: string;
  /** The fields that the owner has corrected here, for the move from a legacy service. */
  corrected?: { [name in 'name' | 'phone' | 'dateOfBirth']?: true };
  /** The revision of a doctor's profile whose change the account has taken last; absent if it has taken none. */
  profileRevision?: number;
  passwordChange?: PasswordChange;
  /**
   * New for each change of what gives access: the password, the e-mail, the app, the passkeys, the state, and for each end of all sessions by an
   * operator (account-endings.ts). Absent before the first. What has begun before such a change cannot be finished after it.
   */
  accessVersion?: string;
  /** Absent (or null) if no e-mail of the account was ever proven. {@link emailVerifiedAtOf} says whether the present one is. */
  emailProof?: EmailProof | null;
  /**
   * Absent (or null) if no second factor is on. It alone decides that: it is written last when one is confirmed, and first when it is
   * removed. {@link factorsOf} reads it.
   */
  factors?: AccountFactors | null;
  /** Absent (or null) in an account that never began to add one. Like {@link factors}, it alone decides. {@link passkeysOf} reads it. */
  passkeys?: AccountPasskeys | null;
  /** Absent if no change of the e-mail was requested, or the last request was used or ended. */
  emailChange?: EmailChange;
  /** Until then no link to a new password is mailed: an operator has changed the e-mail. Absent (or null) in all others. */
  noResetBefore?: Date | null;
  /** Changes whose events are not stored yet; absent or empty in almost all accounts. */
  eventNotes?: EventNote[];
}

/** The projection that leaves in the database what only the check and the change of a password need. */
export const WITHOUT_SECRETS = {
  passwordHash: 0,
  knownPlaces: 0,
  codePlaces: 0,
  knownDevices: 0,
  upgradedFrom: 0,
  passwordChange: 0,
  accessVersion: 0,
  emailChange: 0,
} as const satisfies Partial<Record<keyof StoredAccount, 0>>;

/** A stored account without its secrets. */
export type WithoutSecrets = Omit<StoredAccount, keyof typeof WITHOUT_SECRETS>;

/** An account outside of this service's storage: without the hash, which only the login needs. */
export interface Account {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  /** `YYYY-MM-DD`. */
  dateOfBirth: string | null;
  role: Role;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** When its e-mail was proven; null if it is not. */
  emailVerifiedAt: Date | null;
}

/** A fresh opaque id: an ObjectId in hex. */
export const newId = (): string => new Types.ObjectId().toHexString();

export const ACCOUNTS = 'accounts';

export const accountSchema = new Schema<StoredAccount>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    email: { type: String, required: true },
    emailKey: { type: String, required: true },
    phone: { type: String, default: null },
    dateOfBirth: String,
    role: { type: String, required: true },
    passwordHash: { type: String, required: true },
    createdAt: { type: Date, default: null },
    updatedAt: Date,
    disabledAt: { type: Date, default: null },
    knownPlaces: [String],
    language: String,
    eventNotes: EVENT_NOTES,
    nameWords: [String],
    phoneDigits: String,
    legacyAbsence: {
      type: { since: { type: Date, required: true }, disabledAt: { type: Date, default: null } },
    },
    erasureDueAt: Date,
    closedByOwner: Boolean,
    erasingSince: Date,
    codePlaces: [String],
    knownDevices: [String],
    corrected: Schema.Types.Mixed,
    profileRevision: Number,
    upgradedFrom: String,
    passwordChange: {
      type: { id: String, ending: { type: { id: String, keptTokenId: { type: String, default: null } } } },
    },
    accessVersion: String,
    emailProof: {
      type: { emailKey: { type: String, required: true }, at: { type: Date, required: true } },
    },
    factors: { type: { app: String, codes: String } },
    passkeys: {
      type: { handle: { type: String, required: true }, ids: { type: [String], required: true } },
    },
    emailChange: {
      type: {
        emailDigest: { type: String, required: true },
        passwordChangeId: { type: String, default: null },
        accessVersion: String,
        byOperator: Boolean,
        at: Date,
      },
    },
    noResetBefore: Date,
  },
  { collection: ACCOUNTS },
);
accountSchema.index({ emailKey: 1 }, { unique: true });
accountSchema.index({ knownPlaces: 1 }, { sparse: true });
accountSchema.index({ erasureDueAt: 1 }, { sparse: true });
accountSchema.index({ role: 1, disabledAt: 1, 'factors.app': 1 });
accountSchema.index({ 'passkeys.ids': 1 }, { sparse: true });
// The search for people. Not sparse: it also finds the accounts that lack the words.
accountSchema.index({ nameWords: 1 });
accountSchema.index({ phoneDigits: 1 });
// The few changes whose events are not stored yet.
accountSchema.index({ 'eventNotes.at': 1 }, { sparse: true });
// The lists of operators: those of one role, and the few that are disabled.
accountSchema.index({ role: 1, _id: 1 });
accountSchema.index(
  { disabledAt: 1, _id: 1 },
  { partialFilterExpression: { disabledAt: { $gt: new Date(0) } } },
);

/**
 * When the e-mail of an account was proven.
 * @returns null if it is not, or another program has stored something else there: then a new link proves it
 */
export function emailVerifiedAtOf({
  emailKey,
  emailProof,
}: Pick<StoredAccount, 'emailKey' | 'emailProof'>): Date | null {
  const { emailKey: provenKey, at }: Partial<EmailProof> = Object(emailProof);
  return at instanceof Date && !Number.isNaN(at.getTime()) && provenKey === emailKey ? at : null;
}

/** True if a mailed reset opens an account, as the first proof of its e-mail: nobody may close it to keep the e-mail of a stranger. */
export const isOpenedByReset = (account: StoredAccount): boolean =>
  account.closedByOwner === true && !emailVerifiedAtOf(account);

/**
 * The second factors of an account that are on.
 * @returns undefined if none is. What another program has stored there is no reason to ask for none: then their records are not
 *   found, and nothing is accepted
 */
export function factorsOf({ factors }: Pick<StoredAccount, 'factors'>): AccountFactors | undefined {
  if (factors === undefined || factors === null) {
    return undefined;
  }
  const { app, codes }: AccountFactors = Object(factors);
  return app === undefined && typeof codes === 'string'
    ? { codes }
    : { app: String(app), codes: String(codes) };
}

/** The id of the authenticator app of an account; undefined if none is on. */
export const appIdOf = (account: Pick<StoredAccount, 'factors'>): string | undefined =>
  factorsOf(account)?.app;

/** The passkeys of an account. What another program has stored wrongly there gives nothing. */
export function passkeysOf({ passkeys }: Pick<StoredAccount, 'passkeys'>): {
  handle: string | null;
  ids: readonly string[];
} {
  const { handle, ids }: { handle?: unknown; ids?: unknown } = Object(passkeys);
  return {
    handle: typeof handle === 'string' ? handle : null,
    ids: Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [],
  };
}

/** True if an account has what proves its owner better than a password alone: an authenticator app or a passkey. */
export const hasSecondFactor = (account: Pick<StoredAccount, 'factors' | 'passkeys'>): boolean =>
  appIdOf(account) !== undefined || passkeysOf(account).ids.length > 0;

/** The ids of the records of an account's second factors. */
export function factorIdsOf(account: Pick<StoredAccount, 'factors'>): string[] {
  const { app, codes } = factorsOf(account) ?? {};
  return [app, codes].filter((id) => id !== undefined);
}

/** True if an account has one passkey and nothing else that {@link hasSecondFactor} counts. */
export const hasOnlyOnePasskey = (account: Pick<StoredAccount, 'factors' | 'passkeys'>): boolean =>
  appIdOf(account) === undefined && passkeysOf(account).ids.length === 1;

/** A stored account as the service shows it. */
export function toAccount(stored: WithoutSecrets): Account {
  const { _id: id, name, email, phone, dateOfBirth, role } = stored;
  const createdAt = stored.createdAt ?? null;
  const { updatedAt = createdAt } = stored;
  return {
    id,
    name,
    email,
    phone: phone ?? null,
    dateOfBirth: dateOfBirth ?? null,
    role,
    createdAt,
    updatedAt,
    emailVerifiedAt: emailVerifiedAtOf(stored),
  };
}

/**
 * An account as operators see it: since when it is disabled, null if it is not, when it is erased if it was closed, and the language
 * of the mails to it.
 */
export type AdministeredAccount = Account &
  Pick<StoredAccount, 'disabledAt' | 'erasureDueAt' | 'legacyAbsence' | 'language'>;

/** A stored account as operators see it. */
export const toAdministered = (stored: WithoutSecrets): AdministeredAccount => ({
  ...toAccount(stored),
  disabledAt: stored.disabledAt ?? null,
  ...(stored.erasureDueAt && { erasureDueAt: stored.erasureDueAt }),
  ...(stored.legacyAbsence && { legacyAbsence: stored.legacyAbsence }),
  ...(stored.language && { language: stored.language }),
});
