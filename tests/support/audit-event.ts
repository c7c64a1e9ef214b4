import type { AuditEvent } from '../../src/stores/audit-events.ts';

/** An event of a refused login, or what the fields make of it. */
export const anAuditEvent = (fields: Partial<AuditEvent> = {}): AuditEvent => ({
  ...{ _id: 'id', at: new Date(), act: 'login', outcome: 'failure', reason: 'Too Many Attempts.' },
  ...{ accountId: null, byAccountId: null, tokenId: null, revoked: null, emailDigest: 'digest' },
  ...{ ip: '192.0.2.1', userAgent: 'curl', channel: 'rest', operator: null, systemUser: null },
  ...{ service: null, requestId: 'request', count: null, lastAt: null, expiresAt: null },
  ...fields,
});
