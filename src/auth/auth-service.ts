import DataLoader from 'dataloader';
import { type Account, type AccountStore, ROLES, type Role } from '../stores/accounts.ts';
import type { DoctorProfile, DoctorStore } from '../stores/doctors.ts';
import type { EventNote } from '../stores/event-notes.ts';
import { problemOfAccount, problemOfProfile } from '../stores/invalid-records.ts';
import { InsufficientAccessError, UnauthenticatedError } from '../system/errors.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import { accountSubject, type RecordedActs } from './audit/recorded-acts.ts';
import type { Caller } from './caller.ts';
import { Admission } from './doctor-documents.ts';
import type { Emails } from './emails/emails.ts';
import type { Completion, Credentials, Login } from './login.ts';
import type {
  Authenticated,
  DoctorRegistration,
  PatientRegistration,
  RegisteredDoctor,
  Registration,
} from './registration.ts';
import { commit } from './running-act.ts';
import type { ActThrottle } from './throttle/act-throttle.ts';
import type { Need, TokenAct } from './tokens/abilities.ts';
import type { AccessTokens, Session } from './tokens/access-tokens.ts';
import type { Sessions } from './tokens/sessions.ts';
import { tokenIdOf } from './tokens/token-format.ts';

interface AuthServiceParts {
  accounts: AccountStore;
  doctors: DoctorStore;
  tokens: AccessTokens;
  actThrottle: ActThrottle;
  registration: Registration;
  login: Login;
  audit: AuditTrail;
  acts: RecordedActs;
  sessions: Sessions;
  emails: Emails;
}

/**
 * Reads a doctor's profile; undefined for a patient.
 * @throws UnauthenticatedError if it cannot be shown: the account could not log in any more
 */
export type ProfileReader = (account: Pick<Account, 'id' | 'role'>) => Promise<DoctorProfile | undefined>;

/** What a service may know about an account that is not the caller's: these three fields, and nothing else. */
export class OtherAccount {
  constructor(
    readonly id: string,
    readonly name: string,
    readonly role: Role,
  ) {}
}

/** The service behind both APIs. It knows neither of them, and its input is already validated. */
export class AuthService {
  constructor(private readonly parts: AuthServiceParts) {}

  /**
   * Counts a doctor's registration. Call it before the body is received, so that a refused sender does not cost 31 MB.
   * @throws TooManyAttemptsError
   */
  async admitRegistration(caller: Caller): Promise<Admission> {
    const { actThrottle, acts } = this.parts;
    await acts.recordRefusal({ act: 'registration' }, caller, () =>
      caller.timeBudget.within(() => actThrottle.beforeRegistration(caller.ip)),
    );
    return new Admission('registration');
  }

  /**
   * Registers a doctor (docs/contract.md, "Register a doctor").
   * @param admission of this registration
   * @throws ValidationError (the e-mail is taken), ServiceUnavailableError
   */
  async registerDoctor(
    input: DoctorRegistration,
    caller: Caller,
    admission: Admission,
  ): Promise<RegisteredDoctor> {
    admission.use('registration');
    return this.#register(input.email, caller, (note) => this.parts.registration.doctor(input, note, caller));
  }

  /**
   * Registers a patient (docs/contract.md, "Register a patient").
   * @throws ValidationError (the e-mail is taken), TooManyAttemptsError, ServiceUnavailableError
   */
  registerPatient(input: PatientRegistration, caller: Caller): Promise<Authenticated> {
    const { actThrottle, registration } = this.parts;
    return this.#register(input.email, caller, async (note) => {
      await actThrottle.beforeRegistration(caller.ip);
      return registration.patient(input, note, caller);
    });
  }

  /**
   * Logs in (docs/contract.md, "Login"). Earlier tokens stay valid, unless their number is limited.
   * @throws InvalidCredentialsError, the same for an unknown e-mail, a wrong password, a disabled account and one that
   *   cannot be shown; TooManyAttemptsError
   */
  login(credentials: Credentials, caller: Caller): Promise<Authenticated> {
    return this.parts.acts.complete(caller, () => this.parts.login.run(credentials, caller));
  }

  /**
   * Finishes a login of an account with a second factor.
   * @throws InvalidChallengeError, InvalidProofError, PasswordBlockedError; InvalidCredentialsError; TooManyAttemptsError
   */
  completeLogin(completion: Completion, caller: Caller): Promise<Authenticated> {
    return this.parts.acts.complete(caller, () => this.parts.login.complete(completion, caller));
  }

  /**
   * Revokes exactly the presented token (docs/contract.md, "Logout").
   * @throws UnauthenticatedError when it is not valid, or another logout was faster
   */
  async logout(caller: Caller): Promise<void> {
    const { account, token } = await this.parts.sessions.authorizeLast('logout', caller);
    await this.parts.acts.record(
      { ...accountSubject('logout', account), tokenId: token._id },
      caller,
      async () => {
        if (!(await commit(() => this.parts.tokens.revoke(account.id, token._id)))) {
          throw new UnauthenticatedError();
        }
        return { result: undefined };
      },
    );
  }

  /**
   * The session of the presented token for an act on its behalf.
   * @throws UnauthenticatedError when there is none, or it is not valid; MissingAbilityError when the token may not do this
   */
  authorize(act: TokenAct | Need, caller: Caller): Promise<Session> {
    return this.parts.sessions.authorize(act, caller);
  }

  /**
   * The session of the presented token, and a note that the token is being used. Only for answers about the token.
   * @returns undefined if there is no token, or it is not valid
   */
  findSession(caller: Caller): Promise<Session | undefined> {
    return this.parts.sessions.find(caller);
  }

  /**
   * Accounts by id, as an authenticated service may see them. Disabled ones are found, too: the records of services still name
   * them.
   * @param ids any texts, in a limited number
   * @returns by id, without ids that are unknown or whose account cannot be shown
   */
  async findOtherAccounts(
    ids: readonly string[],
    { timeBudget }: Caller,
  ): Promise<ReadonlyMap<string, OtherAccount>> {
    const found = await timeBudget.within(() => this.parts.accounts.findMany(ids));
    const shown = found.filter((account) => !problemOfAccount(account));
    return new Map(shown.map(({ _id, name, role }) => [_id, new OtherAccount(_id, name, role)]));
  }

  /** Records that a caller has asked for other accounts, and did not get them (OWASP ASVS 16.3.2). */
  recordRefusedReading({ id, email }: Account, caller: Caller): void {
    const refusal = new InsufficientAccessError('role', 'other accounts');
    void this.parts.audit.write({ act: 'reading', accountId: id, email }, caller, refusal);
  }

  /** Reads the profiles of accounts for one request: profiles that are asked for together in one query, and each once. */
  profileReader({ timeBudget }: Caller): ProfileReader {
    const profiles = new DataLoader((ids: readonly string[]) =>
      timeBudget.within(() => this.#profilesOf(ids)),
    );
    return async ({ id, role }) => (role === ROLES.DOCTOR ? profiles.load(id) : undefined);
  }

  async #profilesOf(ids: readonly string[]): Promise<(DoctorProfile | undefined | Error)[]> {
    const found = await this.parts.doctors.findMany(ids);
    return ids.map((id) => {
      const profile = found.get(id);
      return profile && problemOfProfile(profile) ? new UnauthenticatedError() : profile;
    });
  }

  /** Records both registrations, and orders the mail to prove the e-mail. */
  #register<T extends Authenticated>(
    email: string,
    caller: Caller,
    register: (note: EventNote) => Promise<T>,
  ): Promise<T> {
    const { acts, audit, emails } = this.parts;
    const subject = { act: 'registration', email } as const;
    return acts.complete(caller, async () => {
      const { result, written } = await audit.record(subject, caller, async (note) => {
        const registered = await register(note);
        const { account, token } = registered;
        return { result: registered, facts: { accountId: account.id, tokenId: tokenIdOf(token) } };
      });
      // Like the event, the order cannot make the registration fail.
      const ordered = emails.welcome(result.account, caller);
      return { result, written: Promise.all([written, ordered]).then(() => {}) };
    });
  }
}
