import type { DocumentSource } from './documents.ts';
import type { CallOptions } from './exchange.ts';
import type {
  AccountFieldsFragment,
  AddPasskeyInput,
  AddPasskeyMutation,
  ChangePasswordInput,
  CompleteLoginInput,
  ConfirmTwoFactorInput,
  ConfirmTwoFactorMutation,
  DecideOnDoctorMutationVariables,
  DeleteMyAccountInput,
  DoctorProfileFieldsFragment,
  DoctorsForReviewQuery,
  DoctorsForReviewQueryVariables,
  ExportMyDataQuery,
  InvitationQuery,
  LoginInput,
  LoginWithPasskeyInput,
  MeQuery,
  MyPasskeysQuery,
  MyTokensQuery,
  PasskeyAddOptionsInput,
  RegisterDoctorInput,
  RegisterDoctorMutation,
  RegisterPatientInput,
  RemovePasskeyInput,
  ResetPasswordInput,
  ReviewedDoctorFieldsFragment,
  StepUpInput,
  UpdateMyProfileInput,
} from './generated/graphql.ts';
import type { PlainOperations } from './generated/operations.ts';
import type { AuthError, Result } from './results.ts';
import type { Progress } from './senders.ts';
import type { StorageOption } from './token-storage.ts';

export type {
  CallOptions,
  ChangePasswordInput,
  CompleteLoginInput,
  ConfirmTwoFactorInput,
  DeleteMyAccountInput,
  LoginInput,
  RegisterPatientInput,
  ResetPasswordInput,
  StepUpInput,
  UpdateMyProfileInput,
};
export type Account = AccountFieldsFragment;
export type DoctorProfile = DoctorProfileFieldsFragment;
/** The account of the caller. A doctor's account has a profile. */
export type OwnAccount = MeQuery['me'];
export type AccessToken = MyTokensQuery['myTokens'][number];
/** An account and a new access token for it. */
export type AuthPayload = { account: Account; token: string };
/** The recovery codes of a new authenticator app, shown once, and a new token. */
export type TwoFactorConfirmation = ConfirmTwoFactorMutation['confirmTwoFactor'];
export type DoctorRegistration = RegisterDoctorMutation['registerDoctor'];

/**
 * Who is logged in. It is `loading` until the stored token is read and the gateway has named its account. With an `error` the
 * gateway could not be asked: the token is kept, and `refresh` asks again.
 */
export type Session =
  | { readonly status: 'loading'; readonly error?: AuthError }
  | { readonly status: 'anonymous' }
  | { readonly status: 'authenticated'; readonly account: Account };

/** A doctor as reviewers see one. `newDocuments` were submitted after a rejection, or to renew a verification, and wait for a decision. */
export type ReviewedDoctor = ReviewedDoctorFieldsFragment;
/** A page of doctors for reviewers. */
export type ReviewPage = DoctorsForReviewQuery['doctorsForReview'];
/** Which doctors to list; by default the first 20 that are `PENDING`. */
export type ReviewQuery = DoctorsForReviewQueryVariables;
/** A decision about a doctor, of the revision that the reviewer has seen. */
export type Review = DecideOnDoctorMutationVariables;
/** All that the gateway holds about a person. */
export type Invitation = InvitationQuery['invitation'];

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
  /** The gateway's address, such as `https://auth.example.org`. In a browser it may be relative. */
  url: string;
  /** Used instead of the platform's `fetch`, except for uploads with `onProgress`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** An access token from elsewhere. It replaces a stored one. */
  token?: string | null | undefined;
  /**
   * `token`, the default: this program has the access token. `cookie`: a web server has it in a cookie that no script can read, and
   * `url` is the address of its handler (`@auth-gateway/client/server`).
   */
  session?: 'token' | 'cookie' | undefined;
  /** Where the token is kept; by default in memory only. */
  storage?: StorageOption | undefined;
  /** The name of the token in the storage; by default `auth-gateway.token`. */
  storageKey?: string | undefined;
  /** Called with each new token, and with null when there is none any more: also when it was stored, or when another tab did it. */
  onTokenChange?: ((token: string | null) => void) | undefined;
  /** How long a call may take; by default 30 s. Uploads have 330 s, a little more than the gateway's own timeout. */
  timeoutMillis?: number | undefined;
}

export interface UploadOptions extends CallOptions {
  /** Called repeatedly with the progress of the upload. Only browsers report it; elsewhere it is not called. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** A typed client of the gateway's GraphQL API. Its functions do not use `this`, so they may be passed around alone. */
export interface AuthClient extends PlainOperations {
  /**
   * The access token of the calls, in plain text; null if there is none. Registrations and logins set it. A logout sets it to
   * null, and so does a call that the gateway answers with `UNAUTHENTICATED`. A program may set it, too. With `session: 'cookie'` it
   * is always null, and cannot be set.
   */
  token: string | null;
  /** Who is logged in. It is the same object until it changes. */
  readonly session: Session;
  /**
   * Calls `listener` when the session has changed; made for React's `useSyncExternalStore`. The first subscription asks the
   * gateway for the account of a stored token. @returns a function that ends the subscription
   */
  subscribe(listener: () => void): () => void;
  /** Asks the gateway for the account again, such as after `loading` with an error. @returns the session after that */
  refresh(): Promise<Session>;
  /** Resolves when the stored token has been read. It never rejects. All calls wait for it by themselves. */
  readonly ready: Promise<void>;
  /** Registers a doctor with three documents, and keeps the token. */
  registerDoctor(
    fields: DoctorFields,
    options?: UploadOptions,
  ): Promise<Result<DoctorRegistration, keyof DoctorFields>>;
  /** Registers a patient, and keeps the token. */
  registerPatient(
    fields: RegisterPatientInput,
    options?: CallOptions,
  ): Promise<Result<AuthPayload, keyof RegisterPatientInput>>;
  /**
   * Logs in, and keeps the token. Tokens issued earlier stay valid. Of an account with a second factor, the error is
   * `TWO_FACTOR_REQUIRED` with a `challenge`; `TWO_FACTOR_SETUP_REQUIRED` if the operators ask for one. Nothing is kept then.
   */
  login(credentials: LoginInput, options?: CallOptions): Promise<Result<AuthPayload, keyof LoginInput>>;
  /** Finishes a login that was answered with `TWO_FACTOR_REQUIRED`, and keeps the token. */
  completeLogin(
    input: CompleteLoginInput,
    options?: CallOptions,
  ): Promise<Result<AuthPayload, keyof CompleteLoginInput>>;
  /**
   * Confirms a new authenticator app. The new token replaces the client's, which has ended like all others. With the `challenge` of
   * `TWO_FACTOR_SETUP_REQUIRED` it begins a session, whose account is `loading` until it is asked for.
   */
  confirmTwoFactor(
    input: ConfirmTwoFactorInput,
    options?: CallOptions,
  ): Promise<Result<TwoFactorConfirmation, keyof ConfirmTwoFactorInput>>;
  /** Passkeys: a login without a password, and those of the account. They need a browser; elsewhere `isSupported()` is false. */
  readonly passkeys: PasskeyFunctions;
  /** Uses the link of a mail. It proves the e-mail of its account, or gives the account the new one. */
  verifyEmail(
    fields: { token: string },
    options?: CallOptions,
  ): Promise<Result<{ message: string }, 'token'>>;
  /** Proves the person once more. The new token replaces the client's, which has ended. */
  stepUp(input: StepUpInput, options?: CallOptions): Promise<Result<AuthPayload, keyof StepUpInput>>;
  /**
   * Revokes the token and forgets it. It also forgets a token that is not valid (`UNAUTHENTICATED`). After any other error
   * the token may still be valid, so the client keeps it.
   */
  logout(options?: CallOptions): Promise<Result<{ message: string }>>;
  /** The account of the token. */
  me(options?: CallOptions): Promise<Result<OwnAccount>>;
  /**
   * Corrects the token's account and profile. A field that is absent stays; null empties one that may be empty. Another name,
   * specialization or license number of a verified doctor waits for a reviewer, in `profile.proposal`.
   */
  updateMyProfile(
    fields: UpdateMyProfileInput,
    options?: CallOptions,
  ): Promise<Result<OwnAccount, keyof UpdateMyProfileInput>>;
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
   * For a doctor who was rejected: submits the documents again that the rejection asks for (`profile.verification.documents`). The error
   * names `input` if the doctor may not send any, and each document that is missing or not asked for. While
   * `profile.verification.isRenewable`, a verified doctor sends one to three new ones.
   */
  resubmitDocuments(
    documents: Partial<DoctorDocuments>,
    options?: UploadOptions,
  ): Promise<Result<DoctorProfile, DocumentField | 'input'>>;
  /** For reviewers; everybody else gets `FORBIDDEN`. */
  reviews: {
    /** A page of the doctors of a status, the oldest documents first; with `proposals` or `ending`, of others. */
    list(query?: ReviewQuery, options?: CallOptions): Promise<Result<ReviewPage, keyof ReviewQuery>>;
    /** Decides on a doctor. The error names `revision` if the doctor has changed since it was listed. */
    decide(review: Review, options?: CallOptions): Promise<Result<ReviewedDoctor, keyof Review>>;
  };
  /** Closes the token's account and forgets the token. The account is erased after `erasedAfter`. */
  deleteMyAccount(
    input: DeleteMyAccountInput,
    options?: CallOptions,
  ): Promise<Result<{ message: string; erasedAfter: string }, keyof DeleteMyAccountInput>>;
}

/** The passkeys of an account. */
export type Passkeys = MyPasskeysQuery['myPasskeys'];
export type Passkey = AddPasskeyMutation['addPasskey'];

/** Who adds a passkey: a password with its proof, or a `credential` of `confirm`. */
export type NewPasskey = PasskeyAddOptionsInput & Pick<AddPasskeyInput, 'name'>;

/** Passkeys. Each function runs the dialog of the browser. A person who closes it gets `CANCELLED`: that is no failure to show. */
export interface PasskeyFunctions {
  /** True if this browser has passkeys. */
  isSupported(): boolean;
  /** True if the browser offers passkeys among the suggestions of a field with `autocomplete="username webauthn"`. */
  canAutofill(): Promise<boolean>;
  /** Logs in by a dialog, and keeps the token. */
  login(options?: CallOptions): Promise<Result<AuthPayload, keyof LoginWithPasskeyInput>>;
  /**
   * Waits until a person chooses a passkey among the suggestions of a field, then logs in. Begin it when the page is shown, and end it by
   * `signal` when it is left. Any other ceremony ends it, too (`CANCELLED`): begin it again after that.
   */
  autofill(options?: CallOptions): Promise<Result<AuthPayload, keyof LoginWithPasskeyInput>>;
  /** Proves the person. @returns a `credential`, once for any function that takes a password */
  confirm(options?: CallOptions): Promise<Result<Record<string, unknown>>>;
  /** Adds a passkey of this device, or of a security key. */
  add(input: NewPasskey, options?: CallOptions): Promise<Result<Passkey, keyof NewPasskey>>;
  list(options?: CallOptions): Promise<Result<Passkeys>>;
  rename(id: string, name: string, options?: CallOptions): Promise<Result<Passkey, 'name'>>;
  /** Removes a passkey. Sessions that it has opened stay. */
  remove(
    id: string,
    input: RemovePasskeyInput,
    options?: CallOptions,
  ): Promise<Result<{ message: string }, keyof RemovePasskeyInput>>;
}
