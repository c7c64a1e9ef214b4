import type { AuditEvent, AuditEventModel } from '../../stores/audit-events.ts';
import { emailDigest } from './audit-trail.ts';

/** The events in a batch. Each batch must come within the time limit of the database connection. */
const BATCH_SIZE = 500;

/** The conditions of a search. An undefined one does not apply. */
export interface AuditSearch {
  email?: string | undefined;
  accountId?: string | undefined;
  /** The account that acted on others, such as a reviewer. */
  byAccountId?: string | undefined;
  since?: Date | undefined;
  /** The number of events, the newest ones. Only with a limit are they held in memory. */
  limit?: number | undefined;
}

/** The events of the audit trail that a search finds, the newest last. */
export async function* searchAudit(
  events: AuditEventModel,
  { email, accountId, byAccountId, since, limit }: AuditSearch,
): AsyncGenerator<AuditEvent> {
  const query = events.find({
    ...(email !== undefined && { emailDigest: emailDigest(email) }),
    ...(accountId !== undefined && { accountId }),
    ...(byAccountId !== undefined && { byAccountId }),
    ...(since !== undefined && { at: { $gte: since } }),
  });
  query.batchSize(BATCH_SIZE);
  if (limit === undefined) {
    yield* query.sort({ at: 1 }).lean<AuditEvent>().cursor();
  } else {
    yield* (await query.sort({ at: -1 }).limit(limit).lean<AuditEvent[]>()).reverse();
  }
}
