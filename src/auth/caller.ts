import { randomUUID } from 'node:crypto';
import { PUBLIC_ROLES, type Role, STAFF_ROLES } from '../stores/accounts.ts';
import type { MailLanguage } from './mail-texts/languages.ts';
import type { Requester } from './passwords/hash-queue.ts';
import type { TimeBudget } from './time-budget.ts';

/** Whom an API serves. All others have no account for it: they cannot log in, and their tokens are not valid. */
export interface Audience {
  roles: readonly Role[];
  /** True if nobody gets in by a password alone, whatever the policy says. */
  needsSecondFactor: boolean;
}

/** GraphQL and REST. */
export const EVERYBODY: Audience = { roles: Object.values(PUBLIC_ROLES), needsSecondFactor: false };
/** The API of operators. */
export const STAFF: Audience = { roles: STAFF_ROLES, needsSecondFactor: true };

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
  /** The account of an operator who acts by the API. */
  accountId?: string;
  /** Why, as an operator has said. */
  reason?: string;
}

const actorWithoutRequest = (channel: Actor['channel']): Actor => ({
  channel,
  ip: '',
  requestId: randomUUID(),
  userAgent: undefined,
});

/** The gateway, which acts by itself. */
export const gatewayActor = (): Actor => actorWithoutRequest('gateway');

/** @param operator who runs a command, or the command that acts */
export const commandActor = (operator: string): Actor => ({ ...actorWithoutRequest('admin'), operator });

/** The sender of a request. */
export interface Caller extends Actor, Requester {
  /** The presented access token, not yet verified; undefined if there is none. */
  bearer: string | undefined;
  /** Whom the API serves that was called. */
  audience: Audience;
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
