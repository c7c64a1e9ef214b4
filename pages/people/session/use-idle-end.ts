import { useAuth, useSession } from '@auth-gateway/client/react';
import { useEffect } from 'react';
import { endSession } from './leave.ts';

const IDLE_MILLIS = 1_800_000;
/** How often the page looks, and how exact the noted time of the last activity is. */
const STEP_MILLIS = 10_000;
/** In the storage of the tab, so that one that is restored after days is idle, too. */
const KEY = 'auth-gateway people active';

const idleMillis = (): number => Date.now() - Number(sessionStorage.getItem(KEY) ?? 0);

/** Ends the session at the gateway after 30 minutes without a key or a pointer: somebody else may sit at this computer by then. */
export function useIdleEnd(): void {
  const client = useAuth();
  const { status } = useSession();
  useEffect(() => {
    if (status === 'anonymous') {
      sessionStorage.removeItem(KEY);
    }
    if (status !== 'authenticated') {
      return;
    }
    let isEnding = false;
    const isIdle = () => sessionStorage.getItem(KEY) !== null && idleMillis() > IDLE_MILLIS;
    const look = () => {
      if (isIdle() && !isEnding) {
        isEnding = true;
        void endSession(client, (texts) => texts.session.idle);
      }
    };
    const noteActivity = () => {
      // After a computer has slept, a key may be faster than the timer.
      look();
      if (!isIdle() && idleMillis() > STEP_MILLIS) {
        sessionStorage.setItem(KEY, String(Date.now()));
      }
    };
    noteActivity();
    const timer = setInterval(look, STEP_MILLIS);
    const events = ['keydown', 'pointerdown'] as const;
    for (const event of events) {
      addEventListener(event, noteActivity);
    }
    return () => {
      clearInterval(timer);
      for (const event of events) {
        removeEventListener(event, noteActivity);
      }
    };
  }, [client, status]);
}
