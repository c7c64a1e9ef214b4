import { argv, stdout } from 'node:process';
// @ts-expect-error: an ES module without a default export; the types of the CommonJS build would allow this
import type Nothing from '@auth-gateway/client';
import {
  type AuthClient,
  type AuthError,
  createAuthClient,
  ErrorCode,
  type Result,
} from '@auth-gateway/client';

export type { Nothing };

/** Compiles only if every code has its own properties, and if there are no other codes. */
function explain(error: AuthError<'email' | 'password'>): string {
  switch (error.code) {
    case ErrorCode.BAD_USER_INPUT:
    case 'FILE_NOT_READABLE':
      // @ts-expect-error: no input of this call has such a field
      if (error.fields.diplomaFile) {
        return 'impossible';
      }
      return error.fields.email?.[0] ?? error.fields.password?.[0] ?? error.message;
    case 'TOO_MANY_ATTEMPTS':
    case 'SERVICE_UNAVAILABLE':
      return `in ${error.retryAfterSeconds.toFixed()} s`;
    case 'INVALID_RESPONSE':
      return `HTTP ${error.status.toFixed()}`;
    case 'UNKNOWN':
      return error.gatewayCode ?? 'unknown';
    case 'NETWORK_ERROR':
    case 'TIMEOUT':
    case 'ABORTED':
    case 'CANCELLED':
    case 'PASSKEY_EXISTS':
    case 'PASSKEYS_UNAVAILABLE':
      // @ts-expect-error: there was no answer, and so no request id
      return error.requestId ?? error.message;
    case 'INVALID_CREDENTIALS':
      // @ts-expect-error: waiting does not help after a wrong login
      return error.retryAfterSeconds ?? error.message;
    default:
      return error.requestId ?? error.message;
  }
}

/** Compiles only if what `data` has can be read after a check of `ok`, and not before. */
function nameOf(
  result: Result<{ account: { name: string; role: 'DOCTOR' | 'PATIENT' | 'REVIEWER' } }>,
): string {
  // @ts-expect-error: it may have failed
  const early = (): string => result.data.account.name;
  return result.ok ? `${result.data.account.name} (${result.data.account.role})` : String(early);
}

const [, , url = '', email = ''] = argv;
const client: AuthClient = createAuthClient({ url });
const registered = await client.registerPatient({ name: 'Esm', email, password: 'correct horse' });
const refused = await client.login({ email, password: 'wrong horse' });
const invalid = await client.login({ email: 'nobody', password: 'correct horse' });
const answers = [
  registered.ok ? nameOf({ ok: true, data: registered.data }) : explain(registered.error),
  refused.ok ? 'let in' : refused.error.code,
  invalid.ok ? 'let in' : explain(invalid.error),
  client.token === (registered.ok ? registered.data.token : null),
];
stdout.write(JSON.stringify(answers));
