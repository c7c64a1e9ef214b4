import { createAuthClient, type Role } from '@auth-gateway/client';
import type { Place } from './navigation.ts';

const TOKEN_KEY = 'access-token';
const ROLE_KEY = 'role';

/**
 * The one client of the page. The token survives a reload, but not the end of the tab: `localStorage` would keep it for the
 * next user of the computer.
 */
export const client = createAuthClient({ url: location.origin, token: sessionStorage.getItem(TOKEN_KEY) });

/** Stores the token of the client after a login or registration, and the role, which decides what the navigation offers. */
export function rememberSession({ account, token }: { account: { role: Role }; token: string }): void {
  sessionStorage.setItem(TOKEN_KEY, token);
  sessionStorage.setItem(ROLE_KEY, account.role);
}

/** Forgets a token that is not valid any more. */
export function forgetSession(): void {
  client.token = null;
  sessionStorage.removeItem(TOKEN_KEY);
  sessionStorage.removeItem(ROLE_KEY);
}

/** Whether the page offers the review desk. What a reviewer may do, the gateway decides with every request. */
export const isReviewer = (): boolean => sessionStorage.getItem(ROLE_KEY) === 'REVIEWER';

/** Where a visit begins. */
export function firstPlace(): Place {
  if (client.token === null) {
    return '/login';
  }
  return isReviewer() ? '/review' : '/account';
}
