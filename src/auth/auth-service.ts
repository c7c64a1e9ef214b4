import { InvalidCredentialsError, UnauthenticatedError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { StoredAccessToken } from '../models/access-token.model.ts';
import { type Account, ROLES, type StoredAccount, toAccount } from '../models/account.model.ts';
import type { AuditedAct } from '../models/audit-event.model.ts';
import type { DoctorProfile, DoctorProfileModel } from '../models/doctor-profile.model.ts';
import type { RunningWork } from '../running-work.ts';
import { type AccessTokens, AUTH_TOKEN, type Session } from './access-tokens.ts';
import type { Accounts } from './accounts.ts';
import type { AuditSubject, AuditTrail } from './audit-trail.ts';
import type { Caller } from './caller.ts';
import type { KnownPlaces } from './known-places.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type {
  Authenticated,
  DoctorRegistration,
  PatientRegistration,
  RegisteredDoctor,
  Registration,
} from './registration.ts';

export interface Credentials {
  email: string;
  password: string;
}

interface AuthServiceParts {
  accounts: Accounts;
  places: KnownPlaces;
  profiles: DoctorProfileModel;
  tokens: AccessTokens;
  hasher: PasswordHasher;
  throttle: LoginThrottle;
  registration: Registration;
  audit: AuditTrail;
  /** Told of what goes on when its caller has gone. */
  running: RunningWork;
  log: Logger;
}

/** Everything this service does, for both doors. It knows neither of them. Input has been validated before. */
export class AuthService {
  constructor(private readonly parts: AuthServiceParts) {}

  /**
   * Contract section 4, register/doctor.
   * @throws ValidationError (the e-mail is taken), TooManyAttemptsError, ServiceUnavailableError
   */
  registerDoctor(input: DoctorRegistration, caller: Caller): Promise<RegisteredDoctor> {
    return this.#register(input.email, caller, () => this.parts.registration.doctor(input, caller));
  }

  /**
   * Contract section 4, register/patient.
   * @throws ValidationError (the e-mail is taken), TooManyAttemptsError, ServiceUnavailableError
   */
  registerPatient(input: PatientRegistration, caller: Caller): Promise<Authenticated> {
    return this.#register(input.email, caller, () => this.parts.registration.patient(input, caller));
  }

  /**
   * Contract section 4, login. Earlier tokens stay valid.
   * @throws InvalidCredentialsError, the same for an unknown e-mail, a wrong password and a disabled account;
   *   TooManyAttemptsError
   */
  login(credentials: Credentials, caller: Caller): Promise<Authenticated> {
    const { throttle, tokens } = this.parts;
    return this.#tell({ act: 'login', email: credentials.email }, caller, async (subject) => {
      const attempt = { email: credentials.email, ip: caller.ip };
      const stored = await throttle.login(attempt, () => this.#verify(credentials, caller, subject));
      await this.#upgradeHash(stored, credentials.password, caller);
      const token = tokens.create(stored._id, AUTH_TOKEN);
      await Promise.all([tokens.store(token), this.#rememberPlace(stored, caller)]);
      return { account: toAccount(stored), token: token.plainText };
    });
  }

  /**
   * Contract section 4, logout: revokes exactly the presented token.
   * @throws UnauthenticatedError when it is not valid, or another logout was faster
   */
  async logout(caller: Caller): Promise<void> {
    const { account, token } = await this.#sessionOf(caller);
    await this.#tell(by('logout', account), caller, async () => {
      if (!(await this.parts.tokens.revoke(account.id, token._id))) throw new UnauthenticatedError();
    });
  }

  /**
   * The session of the presented token.
   * @throws UnauthenticatedError when there is none, or it is not valid
   */
  async authenticate(caller: Caller): Promise<Session> {
    const session = await this.#sessionOf(caller);
    this.parts.tokens.noteUse(session.token);
    return session;
  }

  /** A doctor's profile; undefined for a patient. */
  async profileOf(account: Account, { patience }: Caller): Promise<DoctorProfile | undefined> {
    if (account.role !== ROLES.DOCTOR) return undefined;
    const { profiles } = this.parts;
    const find = () => profiles.findById(account.id).lean<DoctorProfile>().exec();
    return (await patience.within(find)) ?? undefined;
  }

  /**
   * The valid tokens of the caller's account, the newest first, and the id of the presented one.
   * @throws UnauthenticatedError
   */
  async listTokens(caller: Caller): Promise<{ tokens: StoredAccessToken[]; currentId: string }> {
    const { account, token } = await this.authenticate(caller);
    const tokens = await caller.patience.within(() => this.parts.tokens.list(account.id));
    return { tokens, currentId: token._id };
  }

  /**
   * Revokes one token of the caller's own account; false when it has none of that id.
   * @throws UnauthenticatedError
   */
  async revokeToken(tokenId: string, caller: Caller): Promise<boolean> {
    const { account } = await this.authenticate(caller);
    return this.#tell(by('revocation', account), caller, async (subject) => {
      const isRevoked = await this.parts.tokens.revoke(account.id, tokenId);
      if (!isRevoked) subject.failure = 'no such token';
      return isRevoked;
    });
  }

  /**
   * Revokes all tokens of the caller's account but the one presented, and says how many.
   * @throws UnauthenticatedError
   */
  async revokeOtherTokens(caller: Caller): Promise<number> {
    const { account, token } = await this.authenticate(caller);
    return this.#tell(by('revocation', account), caller, () =>
      this.parts.tokens.revokeOthers(account.id, token._id),
    );
  }

  /** Without noting a use: that of a token about to be revoked is of no interest to anybody. */
  async #sessionOf(caller: Caller): Promise<Session> {
    const { bearer, patience } = caller;
    const { tokens } = this.parts;
    const session = bearer === undefined ? undefined : await patience.within(() => tokens.find(bearer));
    if (!session) throw new UnauthenticatedError();
    caller.identify(session.account.id);
    return session;
  }

  /** Both registrations: counted first, and told of. */
  #register<T extends Authenticated>(email: string, caller: Caller, register: () => Promise<T>): Promise<T> {
    return this.#tell({ act: 'registration', email }, caller, async (subject) => {
      await this.parts.throttle.beforeRegistration(caller.ip);
      const registered = await register();
      subject.accountId = registered.account.id;
      return registered;
    });
  }

  /** Does what is to be told of later, and what ends, or is undone, when nobody waits for it any more, too. */
  #tell<T>(subject: AuditSubject, caller: Caller, act: (subject: AuditSubject) => Promise<T>): Promise<T> {
    const { audit, running } = this.parts;
    return caller.patience.within(() => running.add(audit.tell(subject, caller, act)));
  }

  async #verify(
    { email, password }: Credentials,
    caller: Caller,
    subject: AuditSubject,
  ): Promise<StoredAccount> {
    const stored = await this.parts.accounts.findForLogin(email);
    if (stored) subject.accountId = stored._id;
    const refusal = stored && refusalOf(stored);
    // An unknown e-mail pays for a comparison too, and a refused account for a failure, so that time does not tell them
    // apart (OWASP WSTG-IDNT-04).
    const isRight = await this.parts.hasher.verify(password, stored?.passwordHash, caller, !refusal);
    if (!stored) throw new InvalidCredentialsError('unknown e-mail');
    if (!isRight) throw new InvalidCredentialsError('wrong password');
    if (refusal) throw new InvalidCredentialsError(refusal);
    return stored;
  }

  /** Whatever hinders it must not hinder the login. */
  async #rememberPlace(account: StoredAccount, { ip }: Caller): Promise<void> {
    const { places, log } = this.parts;
    await places.add(account, ip).catch((err: unknown) => {
      log.warn({ err, accountId: account._id }, 'the place of a login was not remembered');
    });
  }

  /** Strengthens an old hash while the password is at hand. Whatever hinders it must not hinder the login. */
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
}

/**
 * Why an account may not log in, even with the right password; undefined when it may. Known before the password is
 * compared, because a refused match must cost as much as a wrong password.
 */
const refusalOf = ({ disabledAt }: StoredAccount): string | undefined =>
  disabledAt ? 'disabled account' : undefined;

/** What an account does with its own tokens. */
const by = (act: AuditedAct, { id, email }: Account): AuditSubject => ({ act, email, accountId: id });
