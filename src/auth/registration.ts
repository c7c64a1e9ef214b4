import type { DocumentStore } from '../documents/document-store.ts';
import { type Account, type AccountStore, type NewAccountRecord, ROLES } from '../stores/accounts.ts';
import type { DoctorProfileTexts } from '../stores/doctor-profile-record.ts';
import type { DoctorProfile, DoctorStore } from '../stores/doctors.ts';
import type { EventNote } from '../stores/event-notes.ts';
import type { Ids } from '../stores/ids.ts';
import type { StoredInvitation } from '../stores/invitations.ts';
import type { InvitedRole } from '../stores/roles.ts';
import type { Clock } from '../system/clock.ts';
import { broken } from '../system/error-details.ts';
import { RegistrationClosedError, ValidationError } from '../system/errors.ts';
import type { Logger } from '../system/log.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { RecordedActs } from './audit/recorded-acts.ts';
import type { Caller } from './caller.ts';
import { Admission, type DoctorDocuments, keepDocuments } from './doctor-documents.ts';
import type { Emails } from './emails/emails.ts';
import type { Features, RegistrationModes } from './features.ts';
import type { InvitationUse } from './invitation-use.ts';
import type { PasswordHasher } from './passwords/password-hasher.ts';
import type { ActThrottle } from './throttle/act-throttle.ts';
import type { KnownPlaces } from './throttle/known-places.ts';
import {
  type AccessTokens,
  AUTH_TOKEN,
  DOCTOR_REGISTRATION_TOKEN,
  type TokenKind,
} from './tokens/access-tokens.ts';
import { AMR } from './tokens/assurance.ts';
import { originOf } from './tokens/devices.ts';
import { tokenIdOf } from './tokens/token-format.ts';
import { asUnitOfWork, type UnitOfWork } from './unit-of-work.ts';

/** The input of every registration, validated by the API. */
interface AccountRegistration {
  name: string;
  email: string;
  phone: string | null;
  password: string;
  /** The token of an invitation. Only GraphQL takes one. */
  invitation?: string | undefined;
}

export interface PatientRegistration extends AccountRegistration {
  /** `YYYY-MM-DD`. */
  dateOfBirth: string | null;
}

export interface DoctorRegistration extends AccountRegistration {
  profile: DoctorProfileTexts;
  documents: DoctorDocuments;
}

/** An account and a new token. The plain text of the token is shown only this once. */
export interface Authenticated {
  account: Account;
  token: string;
}

export interface RegisteredDoctor extends Authenticated {
  profile: DoctorProfile;
}

interface RegistrationParts {
  /** DOCTOR_REGISTRATION and PATIENT_REGISTRATION. */
  registrationModes: RegistrationModes;
  invitationUse: InvitationUse;
  features: Features;
  accounts: AccountStore;
  acts: RecordedActs;
  actThrottle: ActThrottle;
  audit: AuditTrail;
  emails: Emails;
  /** The ids of new accounts. */
  accountIds: Ids;
  knownPlaces: KnownPlaces;
  doctors: DoctorStore;
  tokens: AccessTokens;
  hasher: PasswordHasher;
  documents: DocumentStore;
  clock: Clock;
  log: Logger;
}

/**
 * Registration as a unit of work: documents, profile, token and account exist together or not at all, on every topology of MongoDB and
 * without transactions. The documents are moved to their place, profile and token are inserted under an id that was made beforehand, and
 * the account last: that is the commit, and its unique index on the e-mail decides races. Nothing reads a profile or token except through
 * an account. A failure before the commit undoes all steps, the last one first. If the commit gets no answer, it may have happened, and
 * nothing is undone. With ID_FORMAT=integer an import may take the id meanwhile: the steps then run again under the next number.
 *
 * A crash leaves only orphans that nobody can see. The sweep removes those that are over an hour old, and were there at the sweep before,
 * so that a clock that was set ahead removes nothing that is being made.
 */
export class Registration {
  constructor(private readonly parts: RegistrationParts) {}

  /**
   * Counts a doctor's registration. Call it before the body is received, so that a refused sender does not cost 31 MB.
   * @param invitation its token, if there is one
   * @throws RegistrationClosedError, InvalidInvitationError, TooManyAttemptsError
   */
  async admit(caller: Caller, invitation?: string): Promise<Admission> {
    const { acts, actThrottle } = this.parts;
    await acts.recordRefusal({ act: 'registration' }, caller, () =>
      caller.timeBudget.within(async () => {
        await this.#invitationOf('doctor', { invitation }, () => actThrottle.beforeRegistration(caller.ip));
      }),
    );
    return new Admission('registration');
  }

  /**
   * Whom an invitation is for. Looks count with the registrations.
   * @throws NotFoundError if there are none; InvalidInvitationError, TooManyAttemptsError
   */
  async invited(token: string, caller: Caller): Promise<StoredInvitation> {
    const { actThrottle, features, invitationUse } = this.parts;
    features.demand('invitations');
    return caller.timeBudget.within(async () => {
      await actThrottle.beforeRegistration(caller.ip);
      return invitationUse.find(token);
    });
  }

  /**
   * Registers a doctor (docs/contract.md, "Register a doctor").
   * @param admission of this registration
   * @throws RegistrationClosedError, InvalidInvitationError, ValidationError (the e-mail is taken; the documents are then removed),
   *   ServiceUnavailableError
   */
  async doctor(input: DoctorRegistration, caller: Caller, admission: Admission): Promise<RegisteredDoctor> {
    admission.use('registration');
    return this.#record('doctor', input, caller, (note, invitation) =>
      this.#doctor(input, note, caller, invitation),
    );
  }

  /**
   * Registers a patient (docs/contract.md, "Register a patient").
   * @throws RegistrationClosedError, InvalidInvitationError, ValidationError (the e-mail is taken), TooManyAttemptsError, ServiceUnavailableError
   */
  patient(input: PatientRegistration, caller: Caller): Promise<Authenticated> {
    const count = () => this.parts.actThrottle.beforeRegistration(caller.ip);
    return this.#record(
      'patient',
      input,
      caller,
      (note, invitation) => this.#patient(input, note, caller, invitation),
      count,
    );
  }

  /**
   * The invitation of a registration. Imports and the command line do not ask who may register.
   * @param count called before anybody learns whether an invitation is valid
   * @throws RegistrationClosedError, InvalidInvitationError
   */
  async #invitationOf(
    role: InvitedRole,
    { invitation, email }: { invitation?: string | undefined; email?: string },
    count: () => Promise<void>,
  ): Promise<StoredInvitation | undefined> {
    const mode = this.parts.registrationModes[role];
    if (mode === 'off' || (mode === 'invited' && !invitation)) {
      throw new RegistrationClosedError(mode);
    }
    await count();
    return invitation ? this.parts.invitationUse.findFor(invitation, role, email) : undefined;
  }

  /**
   * Records both registrations, and orders the mail to prove the e-mail.
   * @param count counts the registration, unless it was counted when it was admitted
   */
  #record<T extends Authenticated>(
    role: InvitedRole,
    input: AccountRegistration,
    caller: Caller,
    register: (note: EventNote, invitation: StoredInvitation | undefined) => Promise<T>,
    count = async () => {},
  ): Promise<T> {
    const { acts, audit, emails, invitationUse } = this.parts;
    const subject = { act: 'registration', email: input.email } as const;
    return acts.complete(caller, async () => {
      let used: StoredInvitation | undefined;
      const { result, written } = await audit.record(subject, caller, async (note) => {
        used = await this.#invitationOf(role, input, count);
        const registered = await register(note, used);
        const { account, token } = registered;
        const facts = { accountId: account.id, tokenId: tokenIdOf(token) };
        return { result: registered, facts: { ...facts, ...(used && { cause: 'invited' }) } };
      });
      // Like the event, these cannot make the registration fail.
      const ordered = used ? invitationUse.noteUsed(used._id) : emails.welcome(result.account, caller);
      return { result, written: Promise.all([written, ordered]).then(() => {}) };
    });
  }

  async #patient(
    { password, invitation: _, ...person }: PatientRegistration,
    note: EventNote,
    caller: Caller,
    invitation: StoredInvitation | undefined,
  ): Promise<Authenticated> {
    const login = await this.#prepareLogin(person.email, password, caller);
    const account = { ...person, ...login, role: ROLES.PATIENT, eventNotes: [note] };
    return asUnitOfWork(this.parts.log, (unit) =>
      this.#underNewId(unit, (_id) => this.#open(unit, { _id, ...account }, AUTH_TOKEN, caller, invitation)),
    );
  }

  async #doctor(
    { password, profile: texts, documents, invitation: _, ...person }: DoctorRegistration,
    note: EventNote,
    caller: Caller,
    invitation: StoredInvitation | undefined,
  ): Promise<RegisteredDoctor> {
    const login = await this.#prepareLogin(person.email, password, caller);
    const account = { ...person, ...login, dateOfBirth: null, role: ROLES.DOCTOR, eventNotes: [note] };
    return asUnitOfWork(this.parts.log, async (unit) => {
      const paths = await caller.timeBudget.pauseFor(() =>
        keepDocuments(this.parts.documents, unit, documents),
      );
      return this.#underNewId(unit, async (_id) => {
        const profile = await this.#insertProfile(unit, _id, { ...texts, ...paths });
        const kind = DOCTOR_REGISTRATION_TOKEN;
        return { ...(await this.#open(unit, { _id, ...account }, kind, caller, invitation)), profile };
      });
    });
  }

  /**
   * Refuses a taken e-mail before the costly hash, then hashes, unless the caller has gone. The place of the registration
   * is the first known place of the account.
   */
  async #prepareLogin(email: string, password: string, caller: Caller) {
    const { accounts, hasher, knownPlaces } = this.parts;
    const { language, ip } = caller;
    await refuseTakenEmail(accounts, email);
    const passwordHash = await caller.timeBudget.pauseFor(() => hasher.hash(password, caller));
    return {
      passwordHash,
      knownPlaces: [knownPlaces.digest({ email, ip })],
      ...(language && { language }),
    };
  }

  /** If an import has stored a record with the same id meanwhile, the steps are undone and run under the next id. */
  #underNewId<T>(unit: UnitOfWork, steps: (accountId: string) => Promise<T>): Promise<T> {
    return this.parts.accountIds.withNew((accountId) => unit.attempt(() => steps(accountId)));
  }

  async #insertProfile(
    unit: UnitOfWork,
    accountId: string,
    profile: Omit<DoctorProfile, '_id' | 'createdAt'>,
  ): Promise<DoctorProfile> {
    const stored = { _id: accountId, ...profile, createdAt: new Date(this.parts.clock.now()) };
    const { doctors } = this.parts;
    unit.onFailure(() => doctors.withdraw(stored));
    await doctors.insert(stored);
    return stored;
  }

  /** The last two steps, the same for both roles: the token, then the account that makes everything visible. */
  async #open(
    unit: UnitOfWork,
    account: Omit<NewAccountRecord, 'createdAt'>,
    kind: TokenKind,
    caller: Caller,
    invitation: StoredInvitation | undefined,
  ): Promise<Authenticated> {
    const { tokens, accounts, invitationUse, clock } = this.parts;
    const owner = { id: account._id, role: account.role };
    const token = await tokens.issue(owner, kind, originOf(caller), AMR.password, (record) =>
      unit.onFailure(() => tokens.withdraw(record)),
    );
    const createdAt = new Date(clock.now());
    const proof = invitation && (await invitationUse.begin(invitation, account._id, createdAt));
    const record = { ...account, createdAt, ...proof };
    const inserted = await unit.commit(() => insertAccount(accounts, record));
    return { account: inserted, token: token.plainText };
  }
}

/** @throws ValidationError on `email` when an account has it. Only the unique index is certain; this check comes earlier */
export async function refuseTakenEmail(accounts: AccountStore, email: string): Promise<void> {
  if (await accounts.hasEmail(email)) {
    throw emailTaken();
  }
}

/**
 * Inserts an account: the commit point of a registration.
 * @throws ValidationError on `email` when another registration was faster; the database's error if the id is taken
 */
export async function insertAccount(accounts: AccountStore, account: NewAccountRecord): Promise<Account> {
  const stored = await accounts.insert(account);
  if (!stored) {
    throw emailTaken();
  }
  return stored;
}

export const emailTaken = () =>
  new ValidationError({ email: broken('taken', 'The email has already been taken.') });
