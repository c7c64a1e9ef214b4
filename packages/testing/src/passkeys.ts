import { TestAuthenticator } from './authenticator.ts';

/** A passkey on an authenticator in software. */
export interface TestPasskey {
  id: string;
  name: string;
  /** Makes what a browser would send: `authenticator.get(options)`. */
  authenticator: TestAuthenticator;
  /** Logs in with it. @returns an access token of the level `aal2` */
  logIn(): Promise<string>;
}

/** The defaults of a test gateway: browsers have passkeys for `localhost`, and for no address of numbers. */
export const PASSKEY_SETTINGS = { PASSKEY_RP_ID: 'localhost', PASSKEY_ORIGINS: 'http://localhost' };

/** @throws an Error with the gateway's own message if it refuses */
export async function addPasskey(
  url: string,
  { token, password }: { token: string; password: string },
  { rpId, origin }: { rpId: string; origin: string },
): Promise<TestPasskey> {
  const call = callerOf(url);
  const authenticator = new TestAuthenticator(rpId, origin);
  const { options } = await call('POST', 'user/passkeys/options', { password }, token);
  const made = authenticator.create(options as object);
  const { passkey } = await call('POST', 'user/passkeys', { credential: made }, token);
  const { id, name } = passkey as { id: string; name: string };
  const logIn = async () => {
    const { options: asked } = await call('GET', 'passkeys/login/options');
    const credential = authenticator.get(asked as object);
    return String((await call('POST', 'passkeys/login', { credential })).token);
  };
  return { id, name, authenticator, logIn };
}

const callerOf =
  (url: string) =>
  async (method: string, path: string, body?: object, token?: string): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}/api/v1/auth/${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const data = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) {
      throw new Error(`${path}: ${String(data.message)} (${answer.status})`);
    }
    return data;
  };
