import type { MailLanguage } from './mail-texts/languages.ts';
import type { Requester } from './passwords/hash-queue.ts';
import type { TimeBudget } from './time-budget.ts';

/** Who acts, as the audit trail records it: the sender of a request, or an operator. */
export interface Actor {
  /** The API or the program that was used. */
  channel: string;
  /** The address that attempts are counted by; empty for an operator. */
  ip: string;
  /** The id of the request in the log. */
  requestId: string;
  userAgent: string | undefined;
  /** Who ran a command, as `--as` says; without it, the system user. */
  operator?: string;
  /** The system user who ran a command. */
  systemUser?: string;
}

/** The sender of a request. */
export interface Caller extends Actor, Requester {
  /** The presented access token, not yet verified; undefined if there is none. */
  bearer: string | undefined;
  /** The language of mails that the sender prefers; undefined if that is unknown, or is none of them. */
  language: MailLanguage | undefined;
  /** The time that the request may still wait for the database. */
  timeBudget: TimeBudget;
}

/** The sender of a request as one who is no stranger, for the queue of the password hashes. */
export const knownRequester = ({ ip, gone }: Caller): Requester => ({
  ip,
  ...(gone && { gone }),
  isKnown: true,
});
