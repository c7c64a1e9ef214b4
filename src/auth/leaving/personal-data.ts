import type { Account, WithNetworks } from '../../stores/accounts.ts';
import type { AuditEvent } from '../../stores/audit-events.ts';
import type { DoctorProfile } from '../../stores/doctors.ts';
import type { PendingMail } from '../../stores/messages.ts';
import type { PendingReset } from './account-data.ts';

/** An account with all that is stored about it, but secrets and digests. */
export interface PersonalAccount extends Account {
  disabledAt: Date | null;
  /** When it will be erased; null if it was not closed. */
  erasureDueAt: Date | null;
  /** From how many networks it has logged in lately. The gateway has only digests of them. */
  knownNetworks: number;
}

/** An access token without its hash. */
export interface PersonalToken {
  id: string;
  name: string;
  abilities: string[] | null;
  createdAt: Date | null;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  /** The program that it was issued to; null if that is not known. */
  device: string | null;
  /** The address that it was issued to; null if that is not known. */
  ip: string | null;
  /** True if it was issued by the service that was here before. */
  isImported: boolean;
}

/** An event of the audit trail, as the person whom it is about or who caused it may see it. */
export interface PersonalEvent extends Pick<AuditEvent, 'act' | 'outcome' | 'at' | 'channel'> {
  /** Of the sender; null if the act was somebody else's, such as an operator's. */
  ip: string | null;
  userAgent: string | null;
  /** How many acts this event sums up. */
  count: number;
  /** When the last of them happened. */
  lastAt: Date;
}

/** Everything that the gateway holds about a person (GDPR articles 15 and 20). */
export interface PersonalData {
  generatedAt: Date;
  account: PersonalAccount;
  profile: DoctorProfile | null;
  tokens: PersonalToken[];
  passwordResets: PendingReset[];
  mails: PendingMail[];
  /** The newest first. */
  events: PersonalEvent[];
  /** True if there are more tokens or events than the list has. */
  isTruncated: boolean;
}

/**
 * An event without what is about others, or about the inside of the gateway. Earlier versions have stored less.
 * @param accountId of the person who gets it
 */
export function toPersonalEvent(event: AuditEvent, accountId: string): PersonalEvent {
  const { act, outcome, at, channel } = event;
  const isOwn = !event.operator && (event.byAccountId ?? accountId) === accountId;
  return {
    act,
    outcome,
    at,
    channel,
    ip: (isOwn && event.ip) || null,
    userAgent: (isOwn && event.userAgent) || null,
    count: event.count ?? 1,
    lastAt: event.lastAt ?? at,
  };
}

/** An account as its owner may see it. */
export function toPersonalAccount(account: Account, stored: WithNetworks): PersonalAccount {
  return {
    ...account,
    disabledAt: stored.disabledAt ?? null,
    erasureDueAt: stored.erasureDueAt ?? null,
    knownNetworks: stored.knownPlaces?.length ?? 0,
  };
}
