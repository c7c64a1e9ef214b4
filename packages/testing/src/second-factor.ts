import { type AuthClient, createAuthClient } from '@auth-gateway/client';
import { Secret, TOTP } from 'otpauth';
import { dataOf } from './data-of.ts';

const STEP_MILLIS = 30_000;

/** What an account has after an enrolment. */
export interface TestSecondFactor {
  /** A new access token. All others of the account have ended. */
  token: string;
  /** The secret of the authenticator app, for `codeOf`. */
  secretKey: string;
  recoveryCodes: string[];
}

/**
 * The code that an authenticator app shows. The gateway accepts each code once.
 * @param secretKey as `addSecondFactor` returns it
 * @param steps how many codes later, or earlier; the gateway accepts one either side
 * @param now the time of the gateway, which `advance` has moved: `gateway.now()`
 */
export const codeOf = (secretKey: string, steps = 0, now = Date.now()): string =>
  new TOTP({ secret: Secret.fromBase32(secretKey) }).generate({ timestamp: now + steps * STEP_MILLIS });

/** @throws an Error with the gateway's own message if it refuses */
export async function addSecondFactor(
  url: string,
  { token, password }: { token: string; password: string },
  now: number,
): Promise<TestSecondFactor> {
  const client: AuthClient = createAuthClient({ url, token });
  const { secretKey } = dataOf('addSecondFactor', await client.enableTwoFactor({ password }));
  // The earlier code, so that the present one is not used yet.
  const confirmed = dataOf(
    'addSecondFactor',
    await client.confirmTwoFactor({ code: codeOf(secretKey, -1, now) }),
  );
  return { token: confirmed.token, secretKey, recoveryCodes: [...confirmed.recoveryCodes] };
}
