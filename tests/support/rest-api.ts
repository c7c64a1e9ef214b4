import type { AccountView, Api, Outcome, ProfileView, RefusalKind, UploadRequest } from './api.ts';
import { type HttpResponse, jsonOf, send, sendJson } from './http.ts';
import { appendField, sendForm } from './multipart.ts';
import type { Fields } from './people.ts';
import { rememberPassword } from './response-record.ts';

/** The account record, and the shorter one of a doctor's registration. */
interface RestAccount {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  dob?: string | null;
  role?: 'doctor' | 'patient';
}

const view = ({ id, name, email, phone, dob, role }: RestAccount): AccountView => ({
  id,
  name,
  email,
  phone,
  ...(dob !== undefined && { dateOfBirth: dob }),
  ...(role && { role }),
});

/** The fields of the answers of all endpoints in docs/contract.md. */
interface RestBody {
  data?: RestAccount & { account?: RestAccount; profile?: ProfileView; token?: string };
  token?: string;
  message?: string;
  status?: string;
  errors?: Record<string, string[]>;
}

/** How the REST contract spells a field. */
export const toRestName = (name: string): string =>
  name === 'dateOfBirth'
    ? 'dob'
    : name.replace(/^newPassword/, 'password').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toCamelCase = (name: string): string =>
  name === 'dob' ? 'dateOfBirth' : name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const renamed = <T>(fields: Record<string, T>, rename: (name: string) => string): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [rename(name), value]));

/**
 * The `/api/v1/auth` contract as an API.
 * @param sent headers of all requests but a logout, like those of a proxy
 */
export function restApi(url: string, sent: Record<string, string> = {}): Api {
  const api = `${url}/api/v1/auth`;
  const call = async (path: string, fields: Fields) => {
    rememberPassword(fields.password);
    return outcomeOf(await sendJson(`${api}/${path}`, renamed(fields, toRestName), sent));
  };
  const presenting = (authorization: string | undefined): Record<string, string> =>
    authorization === undefined ? sent : { ...sent, Authorization: authorization };
  return {
    registerPatient: (fields) => call('register/patient', fields),
    login: ({ email, password }) => call('login', { email, password }),
    registerDoctor: async (fields) => outcomeOf(await sendForm(url, doctorRequest(fields), sent)),
    doctorRequest,
    doctorOutcome: outcomeOf,
    async logout(authorization) {
      const headers: Record<string, string> =
        authorization === undefined ? {} : { Authorization: authorization };
      return outcomeOf(await send(`${api}/logout`, { method: 'POST', headers }));
    },
    async changePassword(fields, authorization) {
      rememberPassword(fields.currentPassword);
      rememberPassword(fields.newPassword);
      const headers = presenting(authorization);
      const http = await sendJson(`${api}/password`, renamed(fields, toRestName), headers, 'PUT');
      return withNewPassword(outcomeOf(http));
    },
    async updateMyProfile(fields, authorization) {
      const headers: Record<string, string> =
        authorization === undefined ? sent : { ...sent, Authorization: authorization };
      const path = `${api}/user/profile-information`;
      const http = await sendJson(path, renamed(fields, toRestName), headers, 'PUT');
      if (http.status !== 200) {
        return outcomeOf(http);
      }
      return { ok: true, account: view(jsonOf<RestAccount>(http)), http };
    },
    requestPasswordReset: (fields) => call('forgot-password', fields),
    async resetPassword(fields) {
      rememberPassword(fields.newPassword);
      rememberPassword(fields.token);
      return withNewPassword(await call('reset-password', fields));
    },
    async requestEmailVerification(authorization) {
      const path = `${api}/email/verification-notification`;
      return outcomeOf(await send(path, { method: 'POST', headers: presenting(authorization) }));
    },
    verifyEmail(fields) {
      rememberPassword(fields.token);
      return call('verify-email', fields);
    },
    async changeEmail(fields, authorization) {
      rememberPassword(fields.password);
      return outcomeOf(await sendJson(`${api}/user/email`, fields, presenting(authorization), 'PUT'));
    },
  };
}

/** These endpoints call the new password just the password. */
function withNewPassword(outcome: Outcome): Outcome {
  if (outcome.ok) {
    return outcome;
  }
  const rename = (name: string) => (name === 'password' ? 'newPassword' : name);
  return { ...outcome, errors: renamed(outcome.errors, rename) };
}

function doctorRequest(fields: Fields): UploadRequest {
  rememberPassword(fields.password);
  const form = new FormData();
  for (const [name, value] of Object.entries(renamed(fields, toRestName))) {
    appendField(form, name, value);
  }
  return { path: '/api/v1/auth/register/doctor', headers: {}, form };
}

/** Reads the answer of any endpoint. Every answer is JSON. */
export function outcomeOf(http: HttpResponse): Outcome {
  if (http.status === 204) {
    return { ok: true, http };
  }
  const body = jsonOf<RestBody>(http);
  if (http.status >= 400) {
    const errors = renamed(body.errors ?? {}, toCamelCase);
    return { ok: false, kind: kindOf(http, body), message: body.message ?? '', errors, http };
  }
  const { data, message = body.status } = body;
  const account = data?.account ?? data;
  const token = data?.token ?? body.token;
  return {
    ok: true,
    http,
    ...(account && { account: view(account) }),
    ...(data?.profile && { profile: data.profile }),
    ...(token !== undefined && { token }),
    ...(message !== undefined && { message }),
  };
}

const KINDS: Readonly<Record<number, RefusalKind>> = {
  400: 'bad request',
  403: 'forbidden',
  404: 'not found',
  413: 'too large',
  422: 'validation',
  429: 'too many attempts',
  500: 'unexpected',
  503: 'unavailable',
};

function kindOf({ status }: HttpResponse, { message }: RestBody): RefusalKind {
  if (status === 401) {
    return message === 'Invalid credentials' ? 'credentials' : 'unauthenticated';
  }
  const kind = KINDS[status];
  if (kind === undefined) {
    throw new Error(`the REST API answered with status ${status}`);
  }
  return kind;
}
