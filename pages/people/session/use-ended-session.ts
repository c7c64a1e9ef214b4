import { useAuth, useSession } from '@auth-gateway/client/react';
import { useLayoutEffect, useRef } from 'react';
import { recoveryCodeUse } from '../second-factor/proof-fields.tsx';
import { sayBegun, sayEnded } from './leave.ts';

/** Says that the session has ended when another tab, another device or the gateway has ended it. */
export function useEndedSession(): void {
  const { status } = useSession();
  const { token } = useAuth();
  // A stored token that is not valid any more was a session, too.
  const wasLoggedIn = useRef(token !== null);
  useLayoutEffect(() => {
    if (status === 'authenticated') {
      sayBegun();
      wasLoggedIn.current = true;
    }
    if (status === 'anonymous' && wasLoggedIn.current) {
      recoveryCodeUse.set(false);
      sayEnded();
      wasLoggedIn.current = false;
    }
  }, [status]);
}
