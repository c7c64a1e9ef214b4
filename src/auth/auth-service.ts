import { inTime } from '../database/patience.ts';
import { InvalidCredentialsError, UnauthenticatedError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { StoredAccessToken } from '../models/access-token.model.ts';
import { type Account, ROLES, type StoredAccount, toAccount } from '../models/account.model.ts';
import type { DoctorProfile, DoctorProfileModel } from '../models/doctor-profile.model.ts';
import { type AccessTokens, AUTH_TOKEN } from './access-tokens.ts';
import type { Accounts } from './accounts.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type {
  Authenticated,
  DoctorRegistration,
  PatientRegistration,
  RegisteredDoctor,
  Registration,
} from './registration.ts';
import type { Client } from './work-queue.ts';

/** Who is calling, as far as the service needs to know: by the address, attempts are counted and turns taken. */
export type Caller = Client;

export interface Credentials {
  email: string;
  password: string;
}

/** The account behind a valid token, and that token. */
export interface Session {
  account: Account;
  token: StoredAccessToken;
}

interface AuthServiceParts {
  accounts: Accounts;
  profiles: DoctorProfileModel;
  tokens: AccessTokens;
  hasher: PasswordHasher;
  throttle: LoginThrottle;
  registration: Registration;
  log: Logger;
}

/** Everything this service does, for both doors. It knows neither of them. Input has been validated before. */
export class AuthService {
  constructor(private readonly parts: AuthServiceParts) {}

  /**
   * Contract section 4, register/doctor.
   * @throws ValidationError (the e-mail is taken), TooManyAttemptsError, ServiceUnavailableError
   */
  async registerDoctor(input: DoctorRegistration, caller: Caller): Promise<RegisteredDoctor> {
    await this.parts.throttle.beforeRegistration(caller.ip);
    return this.parts.registration.doctor(input, caller);
  }

  /**
   * Contract section 4, register/patient.
   * @throws ValidationError (the e-mail is taken), TooManyAttemptsError, ServiceUnavailableError
   */
  async registerPatient(input: PatientRegistration, caller: Caller): Promise<Authenticated> {
    await this.parts.throttle.beforeRegistration(caller.ip);
    return this.parts.registration.patient(input, caller);
  }

  /**
   * Contract section 4, login. Earlier tokens stay valid.
   * @throws InvalidCredentialsError, the same for an unknown e-mail and a wrong password; TooManyAttemptsError
   */
  async login(credentials: Credentials, caller: Caller): Promise<Authenticated> {
    const { throttle, tokens } = this.parts;
    const attempt = { email: credentials.email, ip: caller.ip };
    const stored = await throttle.login(attempt, () => this.#verify(credentials, caller));
    await this.#upgradeHash(stored, credentials.password);
    const token = tokens.create(stored._id, AUTH_TOKEN);
    await tokens.store(token);
    return { account: toAccount(stored), token: token.plainText };
  }

  /**
   * Contract section 4, logout: revokes exactly the presented token.
   * @throws UnauthenticatedError when it is not valid, or another logout was faster
   */
  async logout(presentedToken: string | undefined): Promise<void> {
    const { account, token } = await this.authenticate(presentedToken);
    if (!(await this.parts.tokens.revoke(account.id, token._id))) throw new UnauthenticatedError();
  }

  /**
   * The session of a presented token.
   * @param presentedToken the plain text, or undefined where the request carries none
   * @throws UnauthenticatedError
   */
  async authenticate(presentedToken: string | undefined): Promise<Session> {
    const token = presentedToken === undefined ? undefined : await this.parts.tokens.find(presentedToken);
    const account = token && (await this.parts.accounts.find(token.accountId));
    if (!(token && account)) throw new UnauthenticatedError();
    return { account, token };
  }

  /** A doctor's profile; undefined for a patient. */
  async profileOf(account: Account): Promise<DoctorProfile | undefined> {
    if (account.role !== ROLES.DOCTOR) return undefined;
    const { profiles } = this.parts;
    return (await inTime(() => profiles.findById(account.id).lean<DoctorProfile>())) ?? undefined;
  }

  /** The tokens of a session's account, the newest first. */
  listTokens(session: Session): Promise<StoredAccessToken[]> {
    return this.parts.tokens.list(session.account.id);
  }

  /** Revokes one of the session's own account's tokens; false when it has none of that id. */
  revokeToken(session: Session, tokenId: string): Promise<boolean> {
    return this.parts.tokens.revoke(session.account.id, tokenId);
  }

  /** Revokes all tokens of the session's account but the one presented, and says how many. */
  revokeOtherTokens(session: Session): Promise<number> {
    return this.parts.tokens.revokeOthers(session.account.id, session.token._id);
  }

  async #verify({ email, password }: Credentials, caller: Caller): Promise<StoredAccount> {
    const stored = await this.parts.accounts.findForLogin(email);
    // An unknown e-mail pays for a comparison too, so that time does not tell it apart (OWASP WSTG-IDNT-04).
    const matches = await this.parts.hasher.verify(password, stored?.passwordHash, caller);
    if (!(stored && matches)) throw new InvalidCredentialsError();
    return stored;
  }

  /** Strengthens an old hash while the password is at hand. Whatever hinders it must not hinder the login. */
  async #upgradeHash({ _id, passwordHash }: StoredAccount, password: string): Promise<void> {
    const { hasher, accounts, log } = this.parts;
    if (!hasher.needsUpgrade(passwordHash)) return;
    try {
      await accounts.replaceHash(_id, passwordHash, await hasher.hash(password));
    } catch (err) {
      log.warn({ err, accountId: _id }, 'a password hash was not upgraded');
    }
  }
}
