import { type AuditEvent, ruleOf } from '../../stores/audit-events.ts';
import type { VerificationStatus } from '../../stores/doctors.ts';
import type { EventType } from '../../stores/events.ts';

/** The types of decisions of reviewers, by the status that the doctor gets. */
export const DECIDED_TYPES: Partial<Record<VerificationStatus, EventType>> = {
  verified: 'doctor.verified',
  rejected: 'doctor.rejected',
  suspended: 'doctor.suspended',
  // A correction that was approved after the end.
  expired: 'account.updated',
};

/**
 * The type under which services hear of an act that has happened.
 * @param decided what a reviewer has decided, and null for an act that has changed nothing; undefined: what the act says
 */
export function typeOf(
  { act, revoked, accountId }: Pick<AuditEvent, 'act' | 'revoked' | 'accountId'>,
  decided: EventType | null | undefined,
): EventType | undefined {
  const { publishes, silentIfNone } = ruleOf(act);
  const endedNone = silentIfNone && revoked === 0;
  // Only the revocation of everybody's tokens is about nobody.
  const isUnknown = accountId === null && act !== 'revocation';
  return decided === null || endedNone || isUnknown ? undefined : (decided ?? publishes);
}
