import { type Connection, type Model, Schema } from 'mongoose';

/** What is told of in the audit trail, whether it was done or tried (OWASP ASVS 16.3.1). */
export type AuditedAct = 'registration' | 'login' | 'logout' | 'revocation' | 'disabling' | 'enabling';

/** One thing that somebody did, or tried to do; never a secret (OWASP ASVS 16.2.5, 16.3.1). */
export interface AuditEvent {
  _id: string;
  at: Date;
  act: AuditedAct;
  outcome: 'success' | 'failure';
  /** Why it failed; null for a success. */
  reason: string | null;
  /** null where nobody's account was met. */
  accountId: string | null;
  /** SHA-256 of the e-mail in its {@link emailKey} form, in hex: to be found by, and no list of addresses. */
  emailDigest: string | null;
  ip: string;
  userAgent: string | null;
  door: string;
  requestId: string;
  /** When it is forgotten; null: never. */
  expiresAt: Date | null;
}

export type AuditEventModel = Model<AuditEvent>;

const required = { type: String, required: true };
const optional = { type: String, default: null };

const auditEventSchema = new Schema<AuditEvent>(
  {
    _id: required,
    at: { type: Date, required: true },
    act: required,
    outcome: required,
    reason: optional,
    accountId: optional,
    emailDigest: optional,
    ip: { type: String, default: '' },
    userAgent: optional,
    door: required,
    requestId: required,
    expiresAt: { type: Date, default: null },
  },
  { collection: 'audit_events', versionKey: false },
);
auditEventSchema.index({ emailDigest: 1, at: 1 });
auditEventSchema.index({ accountId: 1, at: 1 });
auditEventSchema.index({ at: 1 });
auditEventSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** The audit trail of a connection. */
export const auditEventModel = (connection: Connection): AuditEventModel =>
  connection.model<AuditEvent>('AuditEvent', auditEventSchema);
