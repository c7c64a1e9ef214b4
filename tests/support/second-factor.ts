import { Secret, TOTP } from 'otpauth';
import { type HttpResponse, jsonOf, send, sendJson } from './http.ts';
import { bearer } from './session.ts';
import { testClock } from './test-app.ts';

/** The settings of a gateway with a second factor. */
export const TWO_FACTOR = { TWO_FACTOR_SECRET: 'the-first-line-of-a-secret-of-the-tests' };

const STEP_MILLIS = 30_000;

/** The code that an authenticator app shows at the time of the tests. @param offset steps before or after it */
export const codeAt = (secretKey: string, offset = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secretKey) }).generate({
    timestamp: testClock.now() + offset * STEP_MILLIS,
  });

/** Lets the time pass until the app shows another code. */
export const nextCode = (): Promise<void> => testClock.advance(STEP_MILLIS);

/** A code that is none of this time. */
export function wrongCode(secretKey: string): string {
  const right = [-1, 0, 1].map((offset) => codeAt(secretKey, offset));
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? '444444';
}

/** What an account has after an enrolment. */
export interface Enrolled {
  secretKey: string;
  recoveryCodes: string[];
  token: string;
}

/** Sends an act to the REST API. */
export const post = (
  url: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<HttpResponse> => sendJson(`${url}/api/v1/auth/${path}`, body, headers);

const APP = 'user/two-factor-authentication';

/** The state of the second factor of a token's account. */
export const stateOf = (url: string, token: string): Promise<HttpResponse> =>
  send(`${url}/api/v1/auth/${APP}`, { headers: bearer(token) });

/** Adds an authenticator app to an account. Its time moves on, so that the next code is another one. */
export async function enrol(
  url: string,
  { password, token }: { password: string; token: string },
  proof: object = {},
): Promise<Enrolled> {
  const begun = await post(url, APP, { password, ...proof }, bearer(token));
  const { secret_key: secretKey } = jsonOf<{ secret_key: string }>(begun);
  const code = codeAt(secretKey);
  const confirmed = await post(url, 'user/confirmed-two-factor-authentication', { code }, bearer(token));
  if (confirmed.status !== 200) {
    throw new Error(`not confirmed: ${confirmed.status} ${confirmed.text}`);
  }
  const { recovery_codes: recoveryCodes, token: newToken } = jsonOf<{
    recovery_codes: string[];
    token: string;
  }>(confirmed);
  await nextCode();
  return { secretKey, recoveryCodes, token: newToken };
}
