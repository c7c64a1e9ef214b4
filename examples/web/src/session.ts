import { createAuthClient } from '@auth-gateway/client';

const KEY = 'access-token';

/**
 * The one client of the page. The token survives a reload, but not the end of the tab: `localStorage` would keep it for the
 * next user of the computer.
 */
export const client = createAuthClient({ url: location.origin, token: sessionStorage.getItem(KEY) });

/** Stores the token of the client. Call it when the token may have changed. */
export function rememberToken(): void {
  if (client.token === null) {
    sessionStorage.removeItem(KEY);
  } else {
    sessionStorage.setItem(KEY, client.token);
  }
}

/** Forgets a token that is not valid. */
export function forgetToken(): void {
  client.token = null;
  rememberToken();
}
