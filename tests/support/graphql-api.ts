import {
  ChangeEmailDocument,
  ChangePasswordDocument,
  LoginDocument,
  LogoutDocument,
  RegisterDoctorDocument,
  type RegisterDoctorMutation,
  RegisterPatientDocument,
  RequestEmailVerificationDocument,
  RequestPasswordResetDocument,
  ResetPasswordDocument,
  type TypedDocumentString,
  UpdateMyProfileDocument,
  VerifyEmailDocument,
} from '../../packages/client/src/generated/graphql.ts';
import type { Api, Outcome, RefusalKind, Success, UploadRequest } from './api.ts';
import { type HttpResponse, jsonOf, sendJson } from './http.ts';
import { appendField, isDocument, sendForm } from './multipart.ts';
import type { Fields } from './people.ts';
import { rememberPassword } from './response-record.ts';

export interface GraphqlError {
  message: string;
  path?: (string | number)[];
  extensions?: {
    code?: string;
    errors?: Record<string, string[]>;
    rules?: Record<string, object[]>;
    retryAfterSeconds?: number;
  };
}

/** The body of a GraphQL response. */
export interface GraphqlBody<TData> {
  data?: TData | null;
  errors?: GraphqlError[];
}

/** Apollo's CSRF protection requires it for multipart requests. */
export const PREFLIGHT = { 'Apollo-Require-Preflight': 'true' } as const;

/**
 * Sends an operation of the typed client. Its result is typed, but its variables are not, because tests also send values that
 * the types forbid.
 */
export async function execute<TData>(
  url: string,
  document: TypedDocumentString<TData, never>,
  variables: Fields = {},
  headers: Record<string, string> = {},
): Promise<{ http: HttpResponse; body: GraphqlBody<TData> }> {
  const http = await sendJson(`${url}/graphql`, { query: String(document), variables }, headers);
  return { http, body: jsonOf<GraphqlBody<TData>>(http) };
}

function doctorRequest(input: Fields): UploadRequest {
  rememberPassword(input.password);
  return uploadRequest(String(RegisterDoctorDocument), input);
}

/**
 * A multipart request of an operation whose variable `input` has files.
 * https://github.com/jaydenseric/graphql-multipart-request-spec: operations, then map, then the files.
 */
export function uploadRequest(query: string, input: Fields): UploadRequest {
  const files = Object.entries(input).filter(([, value]) => isDocument(value));
  const withoutFiles = { ...input, ...Object.fromEntries(files.map(([name]) => [name, null])) };
  const form = new FormData();
  form.append('operations', JSON.stringify({ query, variables: { input: withoutFiles } }));
  form.append(
    'map',
    JSON.stringify(Object.fromEntries(files.map(([name]) => [name, [`variables.input.${name}`]]))),
  );
  for (const [name, file] of files) {
    appendField(form, name, file);
  }
  return { path: '/graphql', headers: { ...PREFLIGHT }, form };
}

/** Sends the texts of a multipart request as they are written, and a small PDF under each name. */
export function sendAsForm(
  url: string,
  operations: string,
  map = '{}',
  files: string[] = [],
): Promise<HttpResponse> {
  const form = new FormData();
  form.append('operations', operations);
  form.append('map', map);
  for (const name of files) {
    form.append(name, new Blob(['%PDF-1.7']), `${name}.pdf`);
  }
  return sendForm(url, { path: '/graphql', headers: { ...PREFLIGHT }, form });
}

function doctorOutcome(http: HttpResponse): Outcome {
  const body = jsonOf<GraphqlBody<RegisterDoctorMutation>>(http);
  return outcomeOf(http, body, ({ registerDoctor: { account, profile, token } }) => {
    // REST does not have it.
    const { verification: _, proposal: __, ...shared } = profile;
    return { account: view(account), profile: shared, token };
  });
}

/**
 * The GraphQL API as an API.
 * @param sent headers of all requests but a logout, like those of a proxy
 */
export function graphqlApi(url: string, sent: Record<string, string> = {}): Api {
  const presenting = (authorization: string | undefined): Record<string, string> =>
    authorization === undefined ? sent : { ...sent, Authorization: authorization };
  return {
    async registerPatient(input) {
      rememberPassword(input.password);
      const { http, body } = await execute(url, RegisterPatientDocument, { input }, sent);
      return outcomeOf(http, body, ({ registerPatient: { account, token } }) => ({
        account: view(account),
        token,
      }));
    },
    registerDoctor: async (input) => doctorOutcome(await sendForm(url, doctorRequest(input), sent)),
    doctorRequest,
    doctorOutcome,
    async login({ email, password }) {
      rememberPassword(password);
      const { http, body } = await execute(url, LoginDocument, { input: { email, password } }, sent);
      return outcomeOf(http, body, ({ login: { account, token } }) => ({ account: view(account), token }));
    },
    async logout(authorization) {
      const headers: Record<string, string> =
        authorization === undefined ? {} : { Authorization: authorization };
      const { http, body } = await execute(url, LogoutDocument, {}, headers);
      return outcomeOf(http, body, ({ logout: { message } }) => ({ message }));
    },
    async changePassword(input, authorization) {
      rememberPassword(input.currentPassword);
      rememberPassword(input.newPassword);
      const { http, body } = await execute(url, ChangePasswordDocument, { input }, presenting(authorization));
      return outcomeOf(http, body, ({ changePassword }) => ({ ...changePassword }));
    },
    async updateMyProfile(input, authorization) {
      const headers: Record<string, string> =
        authorization === undefined ? sent : { ...sent, Authorization: authorization };
      const { http, body } = await execute(url, UpdateMyProfileDocument, { input }, headers);
      return outcomeOf(http, body, ({ updateMyProfile }) => ({ account: view(updateMyProfile) }));
    },
    async requestPasswordReset({ email }) {
      const { http, body } = await execute(url, RequestPasswordResetDocument, { email }, sent);
      return outcomeOf(http, body, ({ requestPasswordReset: { message } }) => ({ message }));
    },
    async resetPassword({ token, newPassword }) {
      rememberPassword(newPassword);
      rememberPassword(token);
      const input = { token, newPassword };
      const { http, body } = await execute(url, ResetPasswordDocument, { input }, sent);
      return outcomeOf(http, body, ({ resetPassword: { message } }) => ({ message }));
    },
    async requestEmailVerification(authorization) {
      const { http, body } = await execute(
        url,
        RequestEmailVerificationDocument,
        {},
        presenting(authorization),
      );
      return outcomeOf(http, body, ({ requestEmailVerification: { message } }) => ({ message }));
    },
    async verifyEmail({ token }) {
      rememberPassword(token);
      const { http, body } = await execute(url, VerifyEmailDocument, { token }, sent);
      return outcomeOf(http, body, ({ verifyEmail: { message } }) => ({ message }));
    },
    async changeEmail(input, authorization) {
      rememberPassword(input.password);
      const { http, body } = await execute(url, ChangeEmailDocument, { input }, presenting(authorization));
      return outcomeOf(http, body, ({ changeEmail: { message } }) => ({ message }));
    },
  };
}

interface GraphqlAccount {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  dateOfBirth: string | null;
  role: 'DOCTOR' | 'PATIENT' | 'REVIEWER';
}

const view = ({ id, name, email, phone, dateOfBirth, role }: GraphqlAccount) => ({
  id,
  name,
  email,
  phone,
  dateOfBirth,
  role: role === 'DOCTOR' ? ('doctor' as const) : ('patient' as const),
});

function outcomeOf<TData>(
  http: HttpResponse,
  { data, errors = [] }: GraphqlBody<TData>,
  read: (data: TData) => Partial<Success>,
): Outcome {
  const [error] = errors;
  if (!error) {
    if (!data) {
      throw new Error(`the GraphQL API answered with neither data nor errors: ${http.text}`);
    }
    return { ok: true, http, ...read(data) };
  }
  // graphql-js refuses variables of the wrong type one by one, so one request may have several errors with a field each.
  const fields = Object.assign({}, ...errors.map(({ extensions }) => extensions?.errors)) as Record<
    string,
    string[]
  >;
  return { ok: false, kind: kindOf(error), message: error.message, errors: fields, http };
}

const KINDS: Readonly<Record<string, RefusalKind>> = {
  BAD_USER_INPUT: 'validation',
  INVALID_CREDENTIALS: 'credentials',
  UNAUTHENTICATED: 'unauthenticated',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'not found',
  BAD_REQUEST: 'bad request',
  PAYLOAD_TOO_LARGE: 'too large',
  TOO_MANY_ATTEMPTS: 'too many attempts',
  SERVICE_UNAVAILABLE: 'unavailable',
  INTERNAL_SERVER_ERROR: 'unexpected',
};

function kindOf({ message, extensions }: GraphqlError): RefusalKind {
  const kind = KINDS[extensions?.code ?? ''];
  if (kind === undefined) {
    throw new Error(`the GraphQL API answered with code ${extensions?.code}: ${message}`);
  }
  return kind;
}
