import { useAuth, useSession } from '@auth-gateway/client/react';
import { useLayoutEffect, useRef } from 'react';
import { recoveryCodeUse } from '../second-factor/proof-fields.tsx';
import { endSession, sayBegun, sayEnded } from './leave.ts';

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

/**
 * Ends the session of a reviewer, whose work is in the console. An operator has none here: the gateway answers operators as if the
 * password were wrong.
 */
export function useStaffEnd(): void {
  const client = useAuth();
  const session = useSession();
  const isStaff = session.status === 'authenticated' && isOfStaff(session.account);
  useLayoutEffect(() => {
    if (isStaff) {
      void endSession(client, (texts) => texts.session.staff);
    }
  }, [client, isStaff]);
}

export const isOfStaff = ({ role }: { role: string }): boolean => role === 'REVIEWER';
