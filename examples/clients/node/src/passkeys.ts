import type { AuthClient } from '@auth-gateway/client';

/** Adds a passkey of this device. @returns what to tell the person; undefined if there is nothing to say */
export async function addPasskey(client: AuthClient, password: string): Promise<string | undefined> {
  const added = await client.passkeys.add({ password });
  if (added.ok) {
    return `The passkey "${added.data.name}" is added.`;
  }
  // Somebody who closes the dialog has not failed.
  return added.error.code === 'CANCELLED' ? undefined : added.error.message;
}

/** Signs in by a button. */
export async function signIn(client: AuthClient): Promise<string | undefined> {
  const login = await client.passkeys.login();
  return login.ok || login.error.code === 'CANCELLED' ? undefined : login.error.message;
}

/** Offers passkeys among the suggestions of `<input autocomplete="username webauthn">`, until the page is left. */
export async function offerPasskeys(client: AuthClient, left: AbortSignal): Promise<void> {
  if (await client.passkeys.canAutofill()) {
    await client.passkeys.autofill({ signal: left });
  }
}
