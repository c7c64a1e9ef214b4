import type { DocumentSource } from './documents.ts';
import type {
  AccountFieldsFragment,
  DoctorProfileFieldsFragment,
  LoginInput,
  MeQuery,
  MyTokensQuery,
  RegisterDoctorInput,
  RegisterDoctorMutation,
  RegisterPatientInput,
} from './generated/graphql.ts';
import type { Result } from './results.ts';
import type { Progress } from './senders.ts';

export type { LoginInput, RegisterPatientInput };
export type Account = AccountFieldsFragment;
export type DoctorProfile = DoctorProfileFieldsFragment;
/** One's own account: a doctor's has a profile. */
export type OwnAccount = MeQuery['me'];
export type AccessToken = MyTokensQuery['myTokens'][number];
/** An account and a new access token for it. */
export type Session = { account: Account; token: string };
export type DoctorSession = RegisterDoctorMutation['registerDoctor'];

export type DocumentField = 'licenseFile' | 'diplomaFile' | 'certificationFile';

/**
 * What a doctor registers with. A document that was not chosen may be sent as null, as a text that was not written may
 * be empty: the gateway then says that it is required.
 */
export type DoctorFields = Omit<RegisterDoctorInput, DocumentField> & {
  [Field in DocumentField]: DocumentSource | null;
};

export interface AuthClientOptions {
  /** The gateway's base address, such as `https://auth.example.org`. In a browser it may be relative. */
  url: string;
  /** Used instead of the platform's own, except for uploads with `onProgress`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** An access token from an earlier session. */
  token?: string | null | undefined;
  /** How long a call may take; 30 s unless told. Uploads have 330 s, a little more than the gateway gives them. */
  timeoutMillis?: number | undefined;
}

export interface CallOptions {
  /** Ends the call with the error `ABORTED`. */
  signal?: AbortSignal | undefined;
  /** How long this call may take, all of it. */
  timeoutMillis?: number | undefined;
}

export interface UploadOptions extends CallOptions {
  /** In browsers: told now and then how much has been sent. Elsewhere nobody knows, and it is not called. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** A typed client of the gateway's GraphQL API. Its functions may be taken off it and called on their own. */
export interface AuthClient {
  /**
   * The access token that calls are made with, in plain text; null without one. Registrations and logins set it, a
   * logout empties it. It is kept nowhere else: to outlive the program or page, it is the program's to store and to
   * set again.
   */
  token: string | null;
  /** Registers a doctor with three documents, and keeps the token. */
  registerDoctor(
    fields: DoctorFields,
    options?: UploadOptions,
  ): Promise<Result<DoctorSession, keyof DoctorFields>>;
  /** Registers a patient, and keeps the token. */
  registerPatient(
    fields: RegisterPatientInput,
    options?: CallOptions,
  ): Promise<Result<Session, keyof RegisterPatientInput>>;
  /** Logs in, and keeps the token. Tokens issued earlier stay valid. */
  login(credentials: LoginInput, options?: CallOptions): Promise<Result<Session, keyof LoginInput>>;
  /**
   * Revokes the token and forgets it, also when the gateway says that it is worth nothing (`UNAUTHENTICATED`). After
   * any other error it is still valid, as far as anybody knows, and kept.
   */
  logout(options?: CallOptions): Promise<Result<{ message: string }>>;
  /** The account of the token. */
  me(options?: CallOptions): Promise<Result<OwnAccount>>;
  /** The access tokens of the account. */
  tokens: {
    /** The newest first. */
    list(options?: CallOptions): Promise<Result<AccessToken[]>>;
    /** @returns false when the account has no token of this id */
    revoke(id: string, options?: CallOptions): Promise<Result<boolean, 'id'>>;
    /** Revokes all but the one that the client has. @returns how many those were */
    revokeOthers(options?: CallOptions): Promise<Result<number>>;
  };
}
