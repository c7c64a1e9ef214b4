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

/**
 * Says that a doctor's registration was counted before its body was received. Only {@link AuthService.admitRegistration}
 * makes one, so no door can forget to ask; and one stands for one registration.
 */
class Admission {
  #isUsed = false;

  /** @throws when it was used before, which is a mistake of a door */
  use(): void {
    if (this.#isUsed) throw new Error('an admission stands for one registration');
    this.#isUsed = true;
  }
}

export type { Admission };

/** Everything this service does, for both doors. It knows neither of them. Input has been validated before. */
export class AuthService {
  constructor(private readonly parts: AuthServiceParts) {}

  /**
   * Counts a doctor's registration. To be called before its body is received: a sender who is refused only after 31 MB
   * has cost us those.
   * @throws TooManyAttemptsError
   */
  async admitRegistration(caller: Caller): Promise<Admission> {
    const { throttle, audit } = this.parts;
    try {
      await caller.patience.within(() => throttle.beforeRegistration(caller.ip));
    } catch (refusal) {
      // Only a refusal is told of here: of a registration that goes on there is one event, at its end.
      await audit.tell({ act: 'registration' }, caller, () => Promise.reject(refusal));
    }
    return new Admission();
  }

  /**
   * Contract section 4, register/doctor.
   * @param admission of this registration
   * @throws ValidationError (the e-mail is taken), ServiceUnavailableError
   */
  async registerDoctor(
    input: DoctorRegistration,
    caller: Caller,
    admission: Admission,
  ): Promise<RegisteredDoctor> {
    admission.use();
    return this.#register(input.email, caller, () => this.parts.registration.doctor(input, caller));
  }

  /**
   * Contract section 4, register/patient.
   * @throws ValidationError (the e-mail is taken), TooManyAttemptsError, ServiceUnavailableError
   */
  registerPatient(input: PatientRegistration, caller: Caller): Promise<Authenticated> {
    const { throttle, registration } = this.parts;
    return this.#register(input.email, caller, async () => {
      await throttle.beforeRegistration(caller.ip);
      return registration.patient(input, caller);
    });
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
      await tokens.store(token);
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

  /** Both registrations, told of. */
  #register<T extends Authenticated>(email: string, caller: Caller, register: () => Promise<T>): Promise<T> {
    return this.#tell({ act: 'registration', email }, caller, async (subject) => {
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
    // An unknown e-mail pays for a comparison too, so that time does not tell it apart (OWASP WSTG-IDNT-04).
    const matches = await this.parts.hasher.verify(password, stored?.passwordHash, caller);
    if (!stored) throw new InvalidCredentialsError('unknown e-mail');
    if (!matches) throw new InvalidCredentialsError('wrong password');
    if (stored.disabledAt) throw new InvalidCredentialsError('disabled account');
    return stored;
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

/** What an account does with its own tokens. */
const by = (act: AuditedAct, { id, email }: Account): AuditSubject => ({ act, email, accountId: id });
