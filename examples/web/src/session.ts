import { createAuthClient } from '@auth-gateway/client';

const KEY = 'access-token';

/**
 * The one client of the page. The token survives a reload, and is gone with the tab: `localStorage` would keep it for
 * whoever uses the computer next.
 */
export const client = createAuthClient({ url: location.origin, token: sessionStorage.getItem(KEY) });

/** To be called when the client may have got or lost its token: storing it is up to the page. */
export function rememberToken(): void {
  if (client.token === null) {
    sessionStorage.removeItem(KEY);
  } else {
    sessionStorage.setItem(KEY, client.token);
  }
}

/** Forgets a token that is known to be worth nothing. */
export function forgetToken(): void {
  client.token = null;
  rememberToken();
}
