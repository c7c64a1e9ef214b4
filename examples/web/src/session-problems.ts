import type { AuthError } from '@auth-gateway/client';
import { goTo } from './navigation.ts';
import { showProblem } from './problems.ts';
import { forgetSession } from './session.ts';

/** Shows errors in an alert. If the session has ended, it goes to the login instead. */
export function sessionProblems(alert: HTMLElement) {
  return (error: AuthError<string>): void => {
    if (!endedSession(error)) {
      showProblem(alert, error);
    }
  };
}

/**
 * Goes to the login if the token is not valid any more: revoked elsewhere, or expired.
 * @returns false for every other error
 */
export function endedSession({ code }: AuthError<string>): boolean {
  if (code !== 'UNAUTHENTICATED') {
    return false;
  }
  forgetSession();
  goTo('/login', 'Your session has ended. Please log in again.');
  return true;
}
