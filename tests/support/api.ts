import type { RegisterDoctorMutation } from '../../packages/client/src/generated/graphql.ts';
import type { HttpResponse } from './http.ts';
import type { Fields } from './people.ts';

/** An account in the answer of either API. Only the REST doctor response has no role. */
export interface AccountView {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  /** The REST doctor response has none. */
  dateOfBirth?: string | null;
  role?: 'doctor' | 'patient';
}

/** A profile in the answer of either API. REST has neither verification nor proposal. */
export type ProfileView = Omit<
  RegisterDoctorMutation['registerDoctor']['profile'],
  'verification' | 'proposal'
>;

/** The kind of a refusal, for both APIs: REST shows it by its status, GraphQL by its code. */
export type RefusalKind =
  | 'validation'
  | 'credentials'
  | 'unauthenticated'
  | 'forbidden'
  | 'not found'
  | 'bad request'
  | 'too large'
  | 'too many attempts'
  | 'unavailable'
  | 'unexpected';

export interface Success {
  ok: true;
  account?: AccountView;
  profile?: ProfileView;
  token?: string;
  message?: string;
  /** How many tokens a change of the password revoked. Only GraphQL says it. */
  revokedTokens?: number;
  http: HttpResponse;
}

export interface Refusal {
  ok: false;
  kind: RefusalKind;
  message: string;
  /** Texts by camelCase field; empty if the refusal is about no field. */
  errors: Record<string, string[]>;
  http: HttpResponse;
}

/** The outcome of a call, in the same terms for both APIs. */
export type Outcome = Success | Refusal;

/** A multipart request. */
export interface UploadRequest {
  path: string;
  headers: Record<string, string>;
  form: FormData;
}

/** The calls of both APIs. Fields are camelCase and of any type, because tests also send invalid ones. */
export interface Api {
  registerPatient(fields: Fields): Promise<Outcome>;
  registerDoctor(fields: Fields): Promise<Outcome>;
  /** The request that registers a doctor, for tests that send it themselves. */
  doctorRequest(fields: Fields): UploadRequest;
  /** The outcome in the answer to that request. */
  doctorOutcome(http: HttpResponse): Outcome;
  /** @param credentials only `email` and `password` are sent, so the fields of a registration may be passed */
  login(credentials: Fields): Promise<Outcome>;
  /** @param authorization the value of the header; undefined sends no header */
  logout(authorization: string | undefined): Promise<Outcome>;
  /** @param authorization the value of the header; undefined sends no header */
  changePassword(fields: Fields, authorization: string | undefined): Promise<Outcome>;
  /** @param authorization the value of the header; undefined sends no header */
  updateMyProfile(fields: Fields, authorization: string | undefined): Promise<Outcome>;
  requestPasswordReset(fields: Fields): Promise<Outcome>;
  resetPassword(fields: Fields): Promise<Outcome>;
  requestEmailVerification(authorization: string | undefined): Promise<Outcome>;
  verifyEmail(fields: Fields): Promise<Outcome>;
  changeEmail(fields: Fields, authorization: string | undefined): Promise<Outcome>;
}

/** Opens an API of the app at a URL; `sent` are headers of logins and patient registrations, like those of a proxy. */
export type ApiOf = (url: string, sent?: Record<string, string>) => Api;
