import { boundedExchange } from '../database/bounded-exchange.ts';
import { InvalidCredentialsError } from '../errors/errors.ts';
import { type Account, ROLES, type StoredAccount, toAccount } from '../models/account.model.ts';
import type { DoctorProfile, DoctorProfileModel } from '../models/doctor-profile.model.ts';
import { flawOfAccount, flawOfProfile } from '../models/flaws.ts';
import type { Logger } from '../system/log.ts';
import type { Accounts } from './accounts.ts';
import type { AuditSubject, AuditTrail } from './audit/audit-trail.ts';
import type { Caller } from './caller.ts';
import type { PasswordHasher } from './passwords/password-hasher.ts';
import type { Authenticated } from './registration.ts';
import type { KnownPlaces } from './throttle/known-places.ts';
import type { LoginThrottle } from './throttle/login-throttle.ts';
import { type AccessTokens, AUTH_TOKEN } from './tokens/access-tokens.ts';

export interface Credentials {
  email: string;
  password: string;
}

interface LoginParts {
  accounts: Accounts;
  places: KnownPlaces;
  profiles: DoctorProfileModel;
  tokens: AccessTokens;
  hasher: PasswordHasher;
  throttle: LoginThrottle;
  audit: AuditTrail;
  /** How many tokens an account may have after a login; undefined: any number. */
  maxTokensPerAccount: number | undefined;
  log: Logger;
}

/** The steps of a login: count the attempt, verify the password, upgrade the hash, issue a token. */
export class Login {
  constructor(private readonly parts: LoginParts) {}

  /**
   * Logs in.
   * @param subject of the audit event, which gets the account and the token
   * @throws InvalidCredentialsError, TooManyAttemptsError, ServiceUnavailableError
   */
  async run(credentials: Credentials, caller: Caller, subject: AuditSubject): Promise<Authenticated> {
    const { throttle, tokens } = this.parts;
    const attempt = { email: credentials.email, ip: caller.ip };
    const stored = await throttle.login(attempt, () => this.#verify(credentials, caller, subject));
    await this.#upgradeHash(stored, credentials.password, caller);
    const token = tokens.create(stored._id, AUTH_TOKEN);
    await Promise.all([tokens.store(token), this.#rememberPlace(stored, caller)]);
    subject.tokenId = token.record._id;
    const account = toAccount(stored);
    await this.#revokeOldest(account, caller);
    return { account, token: token.plainText };
  }

  async #verify(
    { email, password }: Credentials,
    client: Caller,
    subject: AuditSubject,
  ): Promise<StoredAccount> {
    const stored = await this.parts.accounts.findForLogin(email);
    if (stored) subject.accountId = stored._id;
    // An unknown e-mail costs a comparison, too, and an account that may not log in costs a failure, so that the time does
    // not tell them apart (OWASP WSTG-IDNT-04).
    const accept = async () => stored && this.#refuseUnfit(stored);
    const isRight = await this.parts.hasher.verify(password, stored?.passwordHash, { client, accept });
    if (!stored) throw new InvalidCredentialsError('unknown e-mail');
    if (!isRight) throw new InvalidCredentialsError('wrong password');
    return stored;
  }

  /**
   * Refuses an account that is disabled, or that neither API can show. Operators find the reason in the log.
   * @throws InvalidCredentialsError
   */
  async #refuseUnfit(account: StoredAccount): Promise<void> {
    if (account.disabledAt) throw new InvalidCredentialsError('disabled account');
    const reason = flawOfAccount(account) ?? (await this.#flawOfProfileOf(account));
    if (reason === undefined) return;
    const { log } = this.parts;
    log.warn({ accountId: account._id, reason }, 'a login was refused: the account cannot be shown');
    throw new InvalidCredentialsError(`account cannot be shown: ${reason}`);
  }

  async #flawOfProfileOf({ _id, role }: StoredAccount): Promise<string | undefined> {
    if (role !== ROLES.DOCTOR) return undefined;
    const query = this.parts.profiles.findById(_id).lean<DoctorProfile>();
    const profile = await boundedExchange(query);
    const flaw = profile && flawOfProfile(profile);
    return flaw ? `profile: ${flaw}` : undefined;
  }

  /** Replaces a weak hash while the password is known. The login succeeds even if this fails. */
  async #upgradeHash(
    { _id, passwordHash }: StoredAccount,
    password: string,
    { ip, patience }: Caller,
  ): Promise<void> {
    const { hasher, accounts, log } = this.parts;
    if (!hasher.needsUpgrade(passwordHash)) return;
    try {
      await accounts.replaceHash(_id, passwordHash, await hasher.hash(password, { ip, patience }));
    } catch (err) {
      log.warn({ err, accountId: _id }, 'a password hash was not upgraded');
    }
  }

  /** The login succeeds even if this fails. */
  async #rememberPlace(account: StoredAccount, { ip }: Caller): Promise<void> {
    const { places, log } = this.parts;
    await places.add(account, ip).catch((err: unknown) => {
      log.warn({ err, accountId: account._id }, 'the place of a login was not remembered');
    });
  }

  /** Keeps an account within the limit on its tokens, if there is one (OWASP ASVS 7.1.2). */
  async #revokeOldest({ id, email }: Account, caller: Caller): Promise<void> {
    const { tokens, maxTokensPerAccount, audit } = this.parts;
    if (maxTokensPerAccount === undefined) return;
    const ended = await tokens.revokeOldest(id, maxTokensPerAccount);
    if (ended.revoked === 0) return;
    const cause = 'more than MAX_TOKENS_PER_ACCOUNT';
    audit.note({ act: 'revocation', accountId: id, email, ...ended, cause }, caller);
  }
}
