import type { Client } from './passwords/work-queue.ts';
import type { Patience } from './patience.ts';

/** Who is calling, as far as the service needs to know: by the address attempts are counted and turns taken. */
export interface Caller extends Client {
  /** By which way it came in. */
  door: string;
  /** The presented access token, not yet looked at; undefined where there is none. */
  bearer: string | undefined;
  /** What the request is called in the log. */
  requestId: string;
  userAgent: string | undefined;
  /** How long the request still waits for the database. */
  patience: Patience;
  /** Is told whose request it is, as soon as that is known. */
  identify(accountId: string): void;
}
