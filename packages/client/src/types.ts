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
/** The account of the caller. A doctor's account has a profile. */
export type OwnAccount = MeQuery['me'];
export type AccessToken = MyTokensQuery['myTokens'][number];
/** An account and a new access token for it. */
export type Session = { account: Account; token: string };
export type DoctorSession = RegisterDoctorMutation['registerDoctor'];

export type DocumentField = 'licenseFile' | 'diplomaFile' | 'certificationFile';

/**
 * The fields of a doctor's registration. A document that was not chosen may be null, as a text may be empty. The gateway then
 * answers that it is required.
 */
export type DoctorFields = Omit<RegisterDoctorInput, DocumentField> & {
  [Field in DocumentField]: DocumentSource | null;
};

export interface AuthClientOptions {
  /** The gateway's base address, such as `https://auth.example.org`. In a browser it may be relative. */
  url: string;
  /** Used instead of the platform's `fetch`, except for uploads with `onProgress`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** An access token from an earlier session. */
  token?: string | null | undefined;
  /** How long a call may take; by default 30 s. Uploads have 330 s, a little more than the gateway's own timeout. */
  timeoutMillis?: number | undefined;
}

export interface CallOptions {
  /** Ends the call with the error `ABORTED`. */
  signal?: AbortSignal | undefined;
  /** How long the whole call may take. */
  timeoutMillis?: number | undefined;
}

export interface UploadOptions extends CallOptions {
  /** Called repeatedly with the progress of the upload. Only browsers report it; elsewhere it is not called. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** A typed client of the gateway's GraphQL API. Its functions do not use `this`, so they may be passed around alone. */
export interface AuthClient {
  /**
   * The access token of the calls, in plain text; null if there is none. Registrations and logins set it, and a logout sets it
   * to null. The client does not store it anywhere else. A program that needs it after a restart stores it and sets it again.
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
   * Revokes the token and forgets it. It also forgets a token that is not valid (`UNAUTHENTICATED`). After any other error
   * the token may still be valid, so the client keeps it.
   */
  logout(options?: CallOptions): Promise<Result<{ message: string }>>;
  /** The account of the token. */
  me(options?: CallOptions): Promise<Result<OwnAccount>>;
  /** The access tokens of the account. */
  tokens: {
    /** The newest first. */
    list(options?: CallOptions): Promise<Result<AccessToken[]>>;
    /** @returns false if the account has no token with this id */
    revoke(id: string, options?: CallOptions): Promise<Result<boolean, 'id'>>;
    /** Revokes all tokens except the client's own. @returns how many it revoked */
    revokeOthers(options?: CallOptions): Promise<Result<number>>;
  };
}
