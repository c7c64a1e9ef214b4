/*
 * Who is logged in. The token is in sessionStorage: a reload keeps it, and a closed tab ends it. So do 15 minutes without a key or a pointer.
 */

/** Why a session has ended, for the login page. */
export type SessionEnd = 'LOGGED_OUT' | 'IDLE' | 'ENDED' | 'TOO_OLD';

export interface Session {
  token: string;
  /** Of the account. */
  id: string;
  name: string;
  role: string;
}

const KEY = 'auth-gateway console';
const IDLE_MILLIS = 900_000;
/** How often the time of the last activity is written. */
const NOTE_MILLIS = 10_000;

interface Stored extends Session {
  activeAt: number;
}

function read(): Stored | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '') as Stored;
  } catch {
    return undefined;
  }
}

let session = read();
let lastEnd: SessionEnd | undefined;
const listeners = new Set<() => void>();

const changed = () => {
  for (const listener of listeners) {
    listener();
  }
};

/** The session of this tab; undefined if nobody is logged in, or nobody was here for 15 minutes. */
export function currentSession(): Session | undefined {
  if (session && Date.now() - session.activeAt > IDLE_MILLIS) {
    end('IDLE');
  }
  return session;
}

/** Why the last session ended. */
export const sessionEnd = (): SessionEnd | undefined => lastEnd;

export function begin({ token, id, name, role }: Session): void {
  session = { token, id, name, role, activeAt: Date.now() };
  lastEnd = undefined;
  sessionStorage.setItem(KEY, JSON.stringify(session));
  changed();
}

/** Forgets the session. */
export function end(why: SessionEnd): void {
  session = undefined;
  lastEnd = why;
  sessionStorage.removeItem(KEY);
  changed();
}

function noteActivity(): void {
  const now = Date.now();
  const former = currentSession() && session;
  if (former && now - former.activeAt > NOTE_MILLIS) {
    session = { ...former, activeAt: now };
    sessionStorage.setItem(KEY, JSON.stringify(session));
  }
}

/** Calls a function at each change of the session, and ends an idle one. @returns a function that stops */
export function watchSession(listener: () => void): () => void {
  listeners.add(listener);
  const timer = setInterval(currentSession, NOTE_MILLIS);
  addEventListener('keydown', noteActivity);
  addEventListener('pointerdown', noteActivity);
  return () => {
    listeners.delete(listener);
    clearInterval(timer);
    removeEventListener('keydown', noteActivity);
    removeEventListener('pointerdown', noteActivity);
  };
}
