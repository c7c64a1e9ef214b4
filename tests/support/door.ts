import type { RegisterDoctorMutation } from '../../packages/client/src/generated/graphql.ts';
import type { HttpResponse } from './http.ts';
import type { Fields } from './people.ts';

/** An account as either door shows it. The REST doctor response alone has no role. */
export interface AccountView {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  role?: 'doctor' | 'patient';
}

/** A profile as either door shows it. */
export type ProfileView = RegisterDoctorMutation['registerDoctor']['profile'];

/** What went wrong, whichever door says it: REST by its status, GraphQL by its code. */
export type RefusalKind =
  | 'validation'
  | 'credentials'
  | 'unauthenticated'
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
  http: HttpResponse;
}

export interface Refusal {
  ok: false;
  kind: RefusalKind;
  message: string;
  /** Texts by camelCase field; empty where no field is to blame. */
  errors: Record<string, string[]>;
  http: HttpResponse;
}

/** The outcome of a call, in the same terms for both doors. */
export type Outcome = Success | Refusal;

/** A multipart request. */
export interface UploadRequest {
  path: string;
  headers: Record<string, string>;
  form: FormData;
}

/** What both doors can do. Fields are camelCase and of any type: it is for the service to refuse them. */
export interface Door {
  registerPatient(fields: Fields): Promise<Outcome>;
  registerDoctor(fields: Fields): Promise<Outcome>;
  /** The request that registers a doctor, for tests that send it in ways of their own. */
  doctorRequest(fields: Fields): UploadRequest;
  /** What the answer to that request says. */
  doctorOutcome(http: HttpResponse): Outcome;
  /** @param credentials of which only `email` and `password` are sent, so that a registration's fields will do */
  login(credentials: Fields): Promise<Outcome>;
  /** @param authorization the header as it goes over the wire; none where undefined */
  logout(authorization: string | undefined): Promise<Outcome>;
}

/** Opens a door of the app at a URL; `sent` are headers of logins and patient registrations, like those of a proxy. */
export type OpenDoor = (url: string, sent?: Record<string, string>) => Door;
