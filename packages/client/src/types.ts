import type { DocumentSource } from './documents.ts';
import type {
  AccountFieldsFragment,
  ChangePasswordInput,
  DecideOnDoctorMutationVariables,
  DeleteMyAccountInput,
  DoctorProfileFieldsFragment,
  DoctorsForReviewQuery,
  DoctorsForReviewQueryVariables,
  ExportMyDataQuery,
  LoginInput,
  MeQuery,
  MyTokensQuery,
  RegisterDoctorInput,
  RegisterDoctorMutation,
  RegisterPatientInput,
  ResetPasswordInput,
  ReviewedDoctorFieldsFragment,
} from './generated/graphql.ts';
import type { Result } from './results.ts';
import type { Progress } from './senders.ts';

export type {
  ChangePasswordInput,
  DeleteMyAccountInput,
  LoginInput,
  RegisterPatientInput,
  ResetPasswordInput,
};
export type Account = AccountFieldsFragment;
export type DoctorProfile = DoctorProfileFieldsFragment;
/** The account of the caller. A doctor's account has a profile. */
export type OwnAccount = MeQuery['me'];
export type AccessToken = MyTokensQuery['myTokens'][number];
/** An account and a new access token for it. */
export type Session = { account: Account; token: string };
export type DoctorSession = RegisterDoctorMutation['registerDoctor'];

/** A doctor as reviewers see one. `newDocuments` were submitted after a rejection, and wait for a decision. */
export type ReviewedDoctor = ReviewedDoctorFieldsFragment;
/** A page of doctors for reviewers. */
export type ReviewPage = DoctorsForReviewQuery['doctorsForReview'];
/** Which doctors to list; by default the first 20 that are `PENDING`. */
export type ReviewQuery = DoctorsForReviewQueryVariables;
/** A decision about a doctor, of the revision that the reviewer has seen. */
export type Review = DecideOnDoctorMutationVariables;
/** All that the gateway holds about a person. */
export type PersonalData = ExportMyDataQuery['exportMyData'];

export type DocumentField = 'licenseFile' | 'diplomaFile' | 'certificationFile';

/**
 * The three documents of a doctor. One that was not chosen may be null, as a text may be empty. The gateway then answers that
 * it is required.
 */
export type DoctorDocuments = { [Field in DocumentField]: DocumentSource | null };

/** The fields of a doctor's registration. */
export type DoctorFields = Omit<RegisterDoctorInput, DocumentField> & DoctorDocuments;

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
  /** The password of an account. */
  password: {
    /**
     * Changes the password of the token's account. It revokes the account's other tokens, unless `revokeOtherTokens` is false.
     */
    change(
      input: ChangePasswordInput,
      options?: CallOptions,
    ): Promise<Result<{ message: string; revokedTokens: number }, keyof ChangePasswordInput>>;
    /** Asks for a mail with a link to choose a new password. The answer is the same without such an account. */
    requestReset(email: string, options?: CallOptions): Promise<Result<{ message: string }, 'email'>>;
    /** Sets a new password with the token of the link, and revokes all tokens of the account. */
    reset(
      input: ResetPasswordInput,
      options?: CallOptions,
    ): Promise<Result<{ message: string }, keyof ResetPasswordInput>>;
  };
  /**
   * For a doctor who was rejected: submits all three documents again. The error names `input` if the doctor is not rejected.
   */
  resubmitDocuments(
    documents: DoctorDocuments,
    options?: UploadOptions,
  ): Promise<Result<DoctorProfile, DocumentField | 'input'>>;
  /** For reviewers; everybody else gets `FORBIDDEN`. */
  reviews: {
    /** A page of the doctors of a status, the oldest documents first. */
    list(query?: ReviewQuery, options?: CallOptions): Promise<Result<ReviewPage, keyof ReviewQuery>>;
    /** Decides on a doctor. The error names `revision` if the doctor has changed since it was listed. */
    decide(review: Review, options?: CallOptions): Promise<Result<ReviewedDoctor, keyof Review>>;
  };
  /** All that the gateway holds about the token's account, to read or to take along. */
  exportMyData(options?: CallOptions): Promise<Result<PersonalData>>;
  /** Closes the token's account and forgets the token. The account is erased after `erasedAfter`. */
  deleteMyAccount(
    input: DeleteMyAccountInput,
    options?: CallOptions,
  ): Promise<Result<{ message: string; erasedAfter: string }, keyof DeleteMyAccountInput>>;
}
