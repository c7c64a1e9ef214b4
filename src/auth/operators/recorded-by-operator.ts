import type { KnownAccount } from '../../stores/accounts.ts';
import type { AuditedAct } from '../../stores/audit-events.ts';
import type { AuditSubject, AuditTrail, Outcome } from '../audit/audit-trail.ts';
import type { Actor } from '../caller.ts';

/**
 * Runs an operator's act. Its event is written before this returns.
 * @throws what `act` throws; the trail then has a failure
 */
export async function recordedByOperator<T>(
  audit: AuditTrail,
  subject: AuditSubject,
  actor: Actor,
  act: () => Promise<Outcome<T>>,
): Promise<T> {
  const { result, written } = await audit.record(subject, actor, act);
  await written;
  return result;
}

/** The subject of an act on an account. */
export const onAccount = (
  act: AuditedAct,
  { id, email }: Pick<KnownAccount, 'id' | 'email'>,
): AuditSubject => ({
  act,
  email,
  accountId: id,
});
