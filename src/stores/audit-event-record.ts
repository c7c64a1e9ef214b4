import { Schema } from 'mongoose';
import type { EventType } from './event-types.ts';

/** What follows from an act that is recorded. */
interface ActRule {
  /** The type under which services hear of it; of all other acts they hear nothing. */
  publishes?: EventType;
  /** Nobody would repeat its change, so a record of one of these has a note about it (event-notes.ts). */
  noted?: readonly ('accounts' | 'profiles')[];
  /** The trail then says which access tokens it has ended, and the move from the legacy service reads that. */
  endsTokens?: true;
  /** Nothing is published if it has revoked no token. */
  silentIfNone?: true;
  /** Without an answer to its caller, it has changed nothing that lasts. */
  leavesNothing?: true;
}

/** The acts that the audit trail records, successful or not (OWASP ASVS 16.3.1). What an act ends: account-endings.ts. */
const ACT_RULES = {
  registration: { publishes: 'account.registered', noted: ['accounts'] },
  login: { leavesNothing: true },
  logout: { publishes: 'sessions.revoked', endsTokens: true, silentIfNone: true },
  revocation: { publishes: 'sessions.revoked', endsTokens: true, silentIfNone: true },
  // By a sync, because the legacy service does not have them any more. It is no end of a token: the row may return.
  'token removal': { publishes: 'sessions.revoked' },
  disabling: { publishes: 'account.disabled', noted: ['accounts'], endsTokens: true },
  enabling: { publishes: 'account.enabled', noted: ['accounts'] },
  unlocking: {},
  'second factor setup': {},
  'second factor confirmation': { publishes: 'factor.added', noted: ['accounts'] },
  'second factor removal': { publishes: 'factor.removed', noted: ['accounts'] },
  'second factor reset': { publishes: 'factor.removed', noted: ['accounts'] },
  'recovery codes': {},
  'passkey setup': {},
  'passkey addition': { publishes: 'factor.added', noted: ['accounts'] },
  'passkey renaming': {},
  'passkey removal': { publishes: 'factor.removed', noted: ['accounts'] },
  'passkey counter': {},
  'step-up': { publishes: 'sessions.revoked' },
  'password change': { publishes: 'sessions.revoked', endsTokens: true, silentIfNone: true },
  'password reset request': {},
  'password reset': { publishes: 'sessions.revoked', endsTokens: true },
  'reset link': {},
  'set-up link': {},
  'set-up': { publishes: 'account.enabled', noted: ['accounts'] },
  resubmission: { publishes: 'doctor.submitted', noted: ['profiles'] },
  correction: { publishes: 'account.updated', noted: ['accounts', 'profiles'] },
  // What it publishes depends on the decision (auth/events/published-acts.ts).
  review: { noted: ['profiles'] },
  'verification notice': { publishes: 'doctor.expiring', noted: ['profiles'] },
  'verification end': { publishes: 'doctor.expired', noted: ['profiles'] },
  invitation: {},
  'invitation renewal': {},
  'invitation withdrawal': {},
  'account creation': { publishes: 'account.registered', noted: ['accounts'] },
  'e-mail proof request': {},
  'e-mail proof': { publishes: 'account.email_verified', noted: ['accounts'] },
  'e-mail change request': {},
  'e-mail change': { publishes: 'account.email_changed', noted: ['accounts'] },
  'mail retry': {},
  'act request': {},
  'act confirmation': {},
  'act refusal': {},
  'many readings': {},
  'data export': { leavesNothing: true },
  closing: { publishes: 'account.closed', noted: ['accounts'], endsTokens: true },
  erasure: { publishes: 'account.erased' },
  'service authentication': { leavesNothing: true },
  'forward authentication': {},
  reading: {},
} as const satisfies Record<string, ActRule>;
export type AuditedAct = keyof typeof ACT_RULES;
export const AUDITED_ACTS = Object.keys(ACT_RULES) as AuditedAct[];

/** @param act may be one of a later version that runs beside this one: it then has no rules here */
export const ruleOf = (act: AuditedAct): ActRule =>
  (ACT_RULES as Partial<Record<AuditedAct, ActRule>>)[act] ?? {};

/** `unknown`: the database did not answer, so that the act may have been done. Earlier versions called it a failure. */
export const AUDIT_OUTCOMES = ['success', 'failure', 'unknown'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/**
 * One act, or a sum of refusals. It has no secrets (OWASP ASVS 16.2.5, 16.3.1). Events of earlier versions lack newer fields;
 * a missing field means null.
 */
export interface AuditEvent {
  _id: string;
  /** When it happened; the first act of a sum. */
  at: Date;
  act: AuditedAct;
  outcome: AuditOutcome;
  /** Why it failed, why the gateway acted by itself, or what was decided; otherwise null. */
  reason: string | null;
  /** null if no account is known. */
  accountId: string | null;
  /** The account that acted on that one, such as a reviewer; null if it was its owner or an operator. */
  byAccountId: string | null;
  /** The id of the one token that was issued or revoked; otherwise null. */
  tokenId: string | null;
  /** How many tokens an act revoked that may revoke several; otherwise null. */
  revoked: number | null;
  /** A digest (email-key.ts): an e-mail can be searched for, but the trail lists no addresses. */
  emailDigest: string | null;
  ip: string;
  userAgent: string | null;
  /** The API or the program that was used. */
  channel: string;
  /** Who ran the command line: the name that was given with `--as`, else the system user. null for requests. */
  operator: string | null;
  /** The system user who ran the command line, whatever name was given; null for requests and in events of earlier versions. */
  systemUser: string | null;
  requestId: string;
  /** The service behind the gateway that authenticated itself; null for all other acts, and if it is unknown. */
  service: string | null;
  /** How many acts this event sums up; null for an event of one act. */
  count: number | null;
  /** When the last of these acts happened; null for an event of one act. */
  lastAt: Date | null;
  /** When the database removes it; null: never. */
  expiresAt: Date | null;
  /**
   * The type under which services are to hear of it, and the one token that was revoked. Absent in all other events, and once it is
   * published (events.ts).
   */
  unpublished?: { type: EventType; token: string | null };
}

export const AUDIT_EVENTS = 'audit_events';

const required = { type: String, required: true };
const optional = { type: String, default: null };
const optionalNumber = { type: Number, default: null };
const optionalDate = { type: Date, default: null };

/** As the database has it: earlier versions, which may still run beside this one, call the channel `door`. */
export type StoredAuditEvent = Omit<AuditEvent, 'channel'> & { door: string };

export const auditEventSchema = new Schema<StoredAuditEvent>(
  {
    _id: required,
    at: { type: Date, required: true },
    act: required,
    outcome: required,
    reason: optional,
    accountId: optional,
    byAccountId: optional,
    tokenId: optional,
    revoked: optionalNumber,
    emailDigest: optional,
    ip: required,
    userAgent: optional,
    door: required,
    operator: optional,
    systemUser: optional,
    service: optional,
    requestId: required,
    count: optionalNumber,
    lastAt: optionalDate,
    expiresAt: optionalDate,
    unpublished: Schema.Types.Mixed,
  },
  { collection: AUDIT_EVENTS },
);
auditEventSchema.index({ emailDigest: 1, at: 1 });
auditEventSchema.index({ accountId: 1, at: 1 });
// Only events of reviewers take space in it.
auditEventSchema.index({ byAccountId: 1, at: 1 }, { partialFilterExpression: { byAccountId: { $gt: '' } } });
auditEventSchema.index({ at: 1 });
// All events of one kind, the newest first.
auditEventSchema.index({ act: 1, outcome: 1, at: 1, _id: 1 });
// The few that are not published yet.
auditEventSchema.index({ 'unpublished.type': 1 }, { sparse: true });
auditEventSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** The record of an event. */
export const recordOf = ({ channel, ...event }: AuditEvent): StoredAuditEvent => ({
  ...event,
  door: channel,
});

/** The event of a record. Whether it is published is nothing that a reader of the trail asks. */
export const eventOf = ({ door, unpublished: _, ...event }: StoredAuditEvent): AuditEvent => ({
  ...event,
  channel: door,
});
