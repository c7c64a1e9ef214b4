import type { DocumentGroup, DocumentStore } from '../documents/document-store.ts';
import type { ReceivedFile } from '../documents/received-file.ts';
import { type Account, newId, ROLES, type Role, type StoredAccount } from '../models/account.model.ts';
import type {
  DoctorDocumentPaths,
  DoctorProfile,
  DoctorProfileModel,
  DoctorProfileTexts,
} from '../models/doctor-profile.model.ts';
import type { Logger } from '../system/log.ts';
import type { Accounts } from './accounts.ts';
import { asOneAct, type OneAct } from './one-act.ts';
import type { PasswordHasher } from './passwords/password-hasher.ts';
import type { Client } from './passwords/work-queue.ts';
import { unhurried } from './patience.ts';
import type { KnownPlaces } from './throttle/known-places.ts';
import {
  type AccessTokens,
  AUTH_TOKEN,
  DOCTOR_REGISTRATION_TOKEN,
  type TokenKind,
} from './tokens/access-tokens.ts';

/** What everybody registers with; validated by the door. */
export interface PatientRegistration {
  name: string;
  email: string;
  phone: string | null;
  password: string;
}

/** A doctor's three documents, received and checked, still in quarantine. */
export interface DoctorDocuments {
  licenseFile: ReceivedFile;
  diplomaFile: ReceivedFile;
  certificationFile: ReceivedFile;
}

export interface DoctorRegistration extends PatientRegistration {
  profile: DoctorProfileTexts;
  documents: DoctorDocuments;
}

/** A new account and the one sight of its token's plain text. */
export interface Authenticated {
  account: Account;
  token: string;
}

export interface RegisteredDoctor extends Authenticated {
  profile: DoctorProfile;
}

/** What an account needs for logins. */
type NewLogin = Required<Pick<StoredAccount, 'passwordHash' | 'knownPlaces'>>;

interface RegistrationParts {
  accounts: Accounts;
  places: KnownPlaces;
  profiles: DoctorProfileModel;
  tokens: AccessTokens;
  hasher: PasswordHasher;
  documents: DocumentStore;
  log: Logger;
}

/**
 * Registration as one act: everything else is in place before the account, which makes it visible
 * (docs/architecture.md, "A registration is one unit of work").
 */
export class Registration {
  constructor(private readonly parts: RegistrationParts) {}

  /** @throws ValidationError when the e-mail is taken */
  async patient(input: PatientRegistration, client?: Client): Promise<Authenticated> {
    const login = await this.#claim(input, client);
    return asOneAct(this.parts.log, (act) =>
      this.#open(act, newId(), { ...input, ...login, role: ROLES.PATIENT }, AUTH_TOKEN),
    );
  }

  /** @throws ValidationError when the e-mail is taken; the documents are then back where they were, or gone */
  async doctor(input: DoctorRegistration, client?: Client): Promise<RegisteredDoctor> {
    const login = await this.#claim(input, client);
    return asOneAct(this.parts.log, async (act) => {
      const accountId = newId();
      const paths = await unhurried(client, () => this.#keepDocuments(act, input.documents));
      const profile = await this.#insertProfile(act, accountId, { ...input.profile, ...paths });
      const account = { ...input, ...login, role: ROLES.DOCTOR };
      return { ...(await this.#open(act, accountId, account, DOCTOR_REGISTRATION_TOKEN)), profile };
    });
  }

  /**
   * Refuses a taken e-mail before the costly hash, then hashes, unless the client has gone. The place of a registration
   * is the first known place of the account.
   */
  async #claim({ email, password }: PatientRegistration, client?: Client): Promise<NewLogin> {
    const { accounts, hasher, places } = this.parts;
    await accounts.refuseTakenEmail(email);
    const passwordHash = await hasher.hash(password, client);
    return { passwordHash, knownPlaces: client ? [places.digest({ email, ip: client.ip })] : [] };
  }

  async #keepDocuments(act: OneAct, documents: DoctorDocuments): Promise<DoctorDocumentPaths> {
    const keep = async (group: DocumentGroup, file: ReceivedFile) => {
      const storedPath = await this.parts.documents.keep(group, file);
      act.onFailure(() => this.parts.documents.remove(storedPath));
      return storedPath;
    };
    return {
      licenseFilePath: await keep('licenses', documents.licenseFile),
      diplomaFilePath: await keep('diplomas', documents.diplomaFile),
      certificationFilePath: await keep('certifications', documents.certificationFile),
    };
  }

  async #insertProfile(
    act: OneAct,
    accountId: string,
    profile: DoctorProfileTexts & DoctorDocumentPaths,
  ): Promise<DoctorProfile> {
    const stored = { _id: accountId, ...profile, createdAt: new Date() };
    act.onFailure(() => this.parts.profiles.deleteOne({ _id: accountId }));
    await this.parts.profiles.insertOne(stored);
    return stored;
  }

  /** The last two steps, the same for both roles: the token, then the account that makes everything visible. */
  async #open(
    act: OneAct,
    accountId: string,
    account: PatientRegistration & NewLogin & { role: Role },
    kind: TokenKind,
  ): Promise<Authenticated> {
    const { tokens, accounts } = this.parts;
    const token = tokens.create(accountId, kind);
    act.onFailure(() => tokens.revoke(accountId, token.record._id));
    await tokens.store(token);
    const { name, email, phone, role, passwordHash, knownPlaces } = account;
    const inserted = await act.commit(() =>
      accounts.insert({ _id: accountId, name, email, phone, role, passwordHash, knownPlaces }),
    );
    return { account: inserted, token: token.plainText };
  }
}
