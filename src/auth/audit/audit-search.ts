import type { AuditEvent, AuditEventModel } from '../../models/audit-event.model.ts';
import { emailDigest } from './audit-trail.ts';

/** How many come at a time: each batch has to come within the time of a request. */
const BATCH_SIZE = 500;

/** What is looked for; what is undefined does not matter. */
export interface AuditSearch {
  email?: string | undefined;
  accountId?: string | undefined;
  since?: Date | undefined;
  /** Only so many of the newest; these are then held in memory, and otherwise none. */
  limit?: number | undefined;
}

/** The events of the audit trail that a search finds, the newest last. */
export async function* searchAudit(
  events: AuditEventModel,
  { email, accountId, since, limit }: AuditSearch,
): AsyncGenerator<AuditEvent> {
  const query = events.find({
    ...(email !== undefined && { emailDigest: emailDigest(email) }),
    ...(accountId !== undefined && { accountId }),
    ...(since !== undefined && { at: { $gte: since } }),
  });
  query.batchSize(BATCH_SIZE);
  if (limit === undefined) {
    yield* query.sort({ at: 1 }).lean<AuditEvent>().cursor();
  } else {
    yield* (await query.sort({ at: -1 }).limit(limit).lean<AuditEvent[]>()).reverse();
  }
}
