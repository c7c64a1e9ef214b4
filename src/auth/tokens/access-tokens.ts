import type {
  AccessTokenStore,
  Revoked,
  StoredAccessToken,
  TokenWithAccount,
} from '../../stores/access-tokens.ts';
import {
  type Account,
  hasSecondFactor,
  type Role,
  type StoredAccount,
  toAccount,
} from '../../stores/accounts.ts';
import type { Ids } from '../../stores/ids.ts';
import { problemOfAccount, problemOfToken } from '../../stores/invalid-records.ts';
import type { Clock } from '../../system/clock.ts';
import type { TwoFactorPolicy } from '../two-factor/policy.ts';
import { levelOf } from './assurance.ts';
import type { Origin } from './devices.ts';
import {
  formatToken,
  generateSecret,
  hashSecret,
  type PresentedToken,
  parseToken,
  secretMatches,
} from './token-format.ts';
import {
  type AccessToken,
  endOf,
  idleEndOf,
  isOver,
  isStaffRole,
  type TokenLifetimes,
  toAccessToken,
} from './token-lifetimes.ts';
import type { TokenUses } from './token-uses.ts';

/** The name and the abilities of a token (docs/contract.md, "Access token"). Without stored abilities it is unrestricted. */
export interface TokenKind {
  name: string;
  abilities: string[] | null;
}

export const DOCTOR_REGISTRATION_TOKEN: TokenKind = {
  name: 'doctor-token',
  abilities: ['create', 'update', 'delete'],
};
export const AUTH_TOKEN: TokenKind = { name: 'auth-token', abilities: null };

/** A new token, and the only copy of its plain text. */
export interface NewAccessToken {
  record: StoredAccessToken;
  plainText: string;
}

/** The account behind a valid token, and that token. */
export interface FoundToken {
  account: Account;
  token: AccessToken;
}

/** The number of logins is not limited, so a list of all tokens could be very long. */
export const MAX_LISTED = 100;

interface AccessTokensParts {
  accessTokens: AccessTokenStore;
  tokenUses: TokenUses;
  tokenLifetimes: TokenLifetimes;
  /** The start of the secrets of new tokens; may be empty. */
  tokenPrefix: string;
  /** The ids of new tokens. */
  tokenIds: Ids;
  twoFactorPolicy: TwoFactorPolicy;
  clock: Clock;
}

/** Opaque bearer tokens. The plain text is shown once, and stored as a hash. */
export class AccessTokens {
  constructor(private readonly parts: AccessTokensParts) {}

  /**
   * Makes and stores a token.
   * @param owner its account
   * @param origin where it is issued, for its owner
   * @param amr the methods that have proved the owner now
   * @param beforeStored called with each record that may be stored from then on, for {@link withdraw}
   */
  issue(
    owner: Pick<Account, 'id' | 'role'>,
    kind: TokenKind,
    origin: Origin,
    amr: readonly string[],
    beforeStored: (record: StoredAccessToken) => void = () => {},
  ): Promise<NewAccessToken> {
    return this.parts.tokenIds.withNew(async (tokenId) => {
      const token = this.#create(tokenId, owner, { ...kind, ...origin }, amr);
      beforeStored(token.record);
      await this.parts.accessTokens.insert(token.record);
      return token;
    });
  }

  #create(
    tokenId: string,
    { id: accountId, role }: Pick<Account, 'id' | 'role'>,
    given: TokenKind & Origin,
    amr: readonly string[],
  ): NewAccessToken {
    const secret = generateSecret(this.parts.tokenPrefix);
    const createdAt = new Date(this.parts.clock.now());
    const isStaff = isStaffRole(role);
    const record: StoredAccessToken = {
      _id: tokenId,
      accountId,
      ...given,
      secretHash: hashSecret(secret),
      createdAt,
      amr: [...amr],
      authTime: createdAt,
      lastUsedAt: null,
      expiresAt: endOf({ createdAt, expiresAt: null, isStaff }, this.parts.tokenLifetimes),
      idleExpiresAt: idleEndOf({ isStaff }, createdAt, this.parts.tokenLifetimes),
      ...(isStaff && { staff: true }),
    };
    return { record, plainText: formatToken({ tokenId, secret }) };
  }

  /** Removes exactly this token, and no imported one with the same id. It is no error if it does not exist. */
  withdraw(record: StoredAccessToken): Promise<void> {
    return this.parts.accessTokens.withdraw(record);
  }

  /**
   * Finds the token that a caller presents, and its account.
   * @param presented the plain text, as the bearer header carries it; of an imported token also its secret alone
   * @param roles of accounts whose tokens are valid
   * @returns undefined if its shape or secret is wrong, its id is unknown, it has expired, its account is gone or disabled,
   *   a change of the password has ended it, the policy asks its account for a second factor that the token lacks, or one of the two records cannot be shown. The caller cannot distinguish these
   */
  async find(presented: string, roles: readonly Role[]): Promise<FoundToken | undefined> {
    const parsed = parseToken(presented);
    if (!parsed) {
      return undefined;
    }
    const found = await this.#lookUp(parsed);
    if (!found || problemOfToken(found.token) || !secretMatches(parsed.secret, found.token.secretHash)) {
      return undefined;
    }
    const { account } = found;
    if (!account || isRefused(account, found.token, roles) || this.#isBelowPolicy(account, found.token)) {
      return undefined;
    }
    const token = this.#asOfNow(found.token, account.role);
    return isOver(token, this.parts.tokenLifetimes, this.parts.clock.now())
      ? undefined
      : { account: toAccount(account), token };
  }

  /** Tokens end by this alone: most have no lifetime, so the policy would reach nobody. */
  #isBelowPolicy(account: NonNullable<TokenWithAccount['account']>, token: StoredAccessToken): boolean {
    // A token that has got its level from a factor which is off since says nothing about the present ones.
    const isBelow = levelOf(token) !== 'aal2' || !hasSecondFactor(account);
    return isBelow && this.parts.twoFactorPolicy.isDue(account);
  }

  #lookUp({ tokenId, secret }: PresentedToken): Promise<TokenWithAccount | undefined> {
    return tokenId === undefined
      ? this.parts.accessTokens.findImportedWithAccount(hashSecret(secret))
      : this.parts.accessTokens.findWithAccount(tokenId);
  }

  /** Notes that a token is being used. */
  noteUse(token: AccessToken): void {
    this.parts.tokenUses.note(token);
  }

  /**
   * The valid ones among the newest {@link MAX_LISTED} tokens of an account, the newest first.
   * @returns each with the earliest end that is certain
   */
  async list({ id, role }: Pick<Account, 'id' | 'role'>): Promise<AccessToken[]> {
    const stored = await this.parts.accessTokens.list(id, MAX_LISTED);
    const valid = stored.filter((token) => !problemOfToken(token));
    const tokens = valid.map((token) => this.#asOfNow(token, role));
    const now = this.parts.clock.now();
    return tokens.filter((token) => !isOver(token, this.parts.tokenLifetimes, now));
  }

  /** Adds the end according to the settings, and the last use that may not be stored yet. */
  #asOfNow(stored: StoredAccessToken, role: Role): AccessToken {
    const lastUsedAt = this.parts.tokenUses.latest(stored._id, stored.lastUsedAt);
    return toAccessToken({ ...stored, lastUsedAt }, role, this.parts.tokenLifetimes);
  }

  /**
   * Revokes one token of an account.
   * @returns false if there was none. Of two simultaneous logouts with one token, only one gets true
   */
  revoke(accountId: string, tokenId: string): Promise<boolean> {
    return this.parts.accessTokens.revoke(accountId, tokenId);
  }

  /**
   * Revokes the oldest tokens of an account beyond its limit. After simultaneous logins, at most `limit` are left.
   * @returns how many this call revoked, and the id if it was one
   */
  revokeOldest(accountId: string, limit: number): Promise<Revoked> {
    return this.parts.accessTokens.revokeOldest(accountId, limit, new Date(this.parts.clock.now()));
  }

  /** Revokes every token of an account. Returns how many. */
  revokeAll(accountId: string): Promise<number> {
    return this.parts.accessTokens.revokeAll(accountId);
  }

  /**
   * Revokes the tokens of all accounts, some at a time. Those that are issued meanwhile may stay.
   * @returns how many
   */
  revokeEveryones(): Promise<number> {
    return this.parts.accessTokens.revokeEveryones();
  }

  /** Revokes every token of an account but one. Returns how many. */
  revokeOthers(accountId: string, keptTokenId: string): Promise<number> {
    return this.parts.accessTokens.revokeOthers(accountId, keptTokenId);
  }
}

/** True if an account does not accept its token: it is disabled or cannot be shown, or a change of its password ends the token. */
const isRefused = (
  account: NonNullable<TokenWithAccount['account']>,
  token: StoredAccessToken,
  roles: readonly Role[],
): boolean =>
  Boolean(account.disabledAt) || isEnding(account, token) || problemOfAccount(account, roles) !== undefined;

/** True if a change of the password ends a token, and its removal is not finished yet. */
const isEnding = (
  { passwordChange }: Pick<StoredAccount, 'passwordChange'>,
  { _id }: StoredAccessToken,
): boolean => passwordChange?.ending !== undefined && passwordChange.ending.keptTokenId !== _id;
