import type { AuthClient, AuthError, Result } from '@auth-gateway/client';
import { announce, type Say } from '../navigation/notice.ts';

const ENDED: Say = ({ session }) => session.ended;

/** True while the user ends the session. Then the page does not say that it has ended by itself. */
let isLeaving = false;

/** Runs a call that ends the session when it succeeds. */
export async function leave<R extends Result<unknown, string>>(act: () => Promise<R>): Promise<R> {
  isLeaving = true;
  const result = await act();
  if (!result.ok) {
    isLeaving = false;
    if (hasEnded(result.error)) {
      announce(ENDED);
    }
  }
  return result;
}

/** Ends the session for the user. The page shows nothing of the account any more, even if the gateway does not answer. */
export async function endSession(client: AuthClient, why: Say): Promise<void> {
  await leave(client.logout);
  client.token = null;
  announce(why);
}

/** Says that the session has ended, unless the user has ended it. */
export function sayEnded(): void {
  if (!isLeaving) {
    announce(ENDED);
  }
  isLeaving = false;
}

/** Call it when a session begins. */
export function sayBegun(): void {
  isLeaving = false;
}

/**
 * Whether an error means that the session has ended: the token was revoked elsewhere, or it has expired. The client has
 * forgotten it, and the page shows the login.
 */
export const hasEnded = ({ code }: AuthError<string>): boolean => code === 'UNAUTHENTICATED';
