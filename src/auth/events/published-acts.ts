import type { AuditEvent, AuditedAct } from '../../stores/audit-events.ts';
import type { VerificationStatus } from '../../stores/doctors.ts';
import type { EventNoteStore, EventNoteStores } from '../../stores/event-notes.ts';
import type { EventType } from '../../stores/events.ts';

/** The type under which services hear of an act. Of the others they hear nothing, and of a review what was decided. */
const TYPES: Partial<Record<AuditedAct, EventType>> = {
  registration: 'account.registered',
  'account creation': 'account.registered',
  correction: 'account.updated',
  'e-mail change': 'account.email_changed',
  'e-mail proof': 'account.email_verified',
  disabling: 'account.disabled',
  enabling: 'account.enabled',
  'set-up': 'account.enabled',
  closing: 'account.closed',
  erasure: 'account.erased',
  resubmission: 'doctor.submitted',
  logout: 'sessions.revoked',
  revocation: 'sessions.revoked',
  // By a sync, because the legacy service does not have them any more. It is no end of a token: the row may return.
  'token removal': 'sessions.revoked',
  'password change': 'sessions.revoked',
  'password reset': 'sessions.revoked',
  'step-up': 'sessions.revoked',
  'second factor confirmation': 'factor.added',
  'passkey addition': 'factor.added',
  'second factor removal': 'factor.removed',
  'second factor reset': 'factor.removed',
  'passkey removal': 'factor.removed',
};

/** The types of decisions of reviewers, by the status that the doctor gets. */
export const DECIDED_TYPES: Partial<Record<VerificationStatus, EventType>> = {
  verified: 'doctor.verified',
  rejected: 'doctor.rejected',
  suspended: 'doctor.suspended',
};

/** The acts that end tokens. If there were none, no event is published. */
const ENDING: readonly AuditedAct[] = ['logout', 'revocation', 'password change'];

/** The acts whose changes have a note (event-notes.ts): nobody would repeat them. */
export const NOTED_ACTS: ReadonlySet<AuditedAct> = new Set<AuditedAct>([
  ...(['registration', 'account creation', 'correction', 'e-mail change', 'e-mail proof'] as const),
  ...(['disabling', 'enabling', 'set-up', 'closing', 'resubmission', 'review'] as const),
  ...(['second factor confirmation', 'second factor removal', 'second factor reset'] as const),
  ...(['passkey addition', 'passkey removal'] as const),
]);

/** The acts whose note is in the profile of a doctor. A correction may be in either. */
const OF_PROFILES: readonly AuditedAct[] = ['review', 'resubmission'];

/** Where the note of an act is. */
export function notesOf(act: AuditedAct, { accounts, profiles }: EventNoteStores): readonly EventNoteStore[] {
  if (act === 'correction') {
    return [accounts, profiles];
  }
  return [OF_PROFILES.includes(act) ? profiles : accounts];
}

/**
 * The type under which services hear of an act that has happened.
 * @param decided what a reviewer has decided, and null for an act that has changed nothing; undefined: what the act says
 */
export function typeOf(
  { act, revoked, accountId }: Pick<AuditEvent, 'act' | 'revoked' | 'accountId'>,
  decided: EventType | null | undefined,
): EventType | undefined {
  const isInVain = ENDING.includes(act) && revoked === 0;
  // Only the revocation of everybody's tokens is about nobody.
  const isUnknown = accountId === null && act !== 'revocation';
  return decided === null || isInVain || isUnknown ? undefined : (decided ?? TYPES[act]);
}
