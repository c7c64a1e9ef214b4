import type { Connection } from 'mongoose';
import { type AccessTokenModel, accessTokenModel } from './access-tokens/access-tokens.ts';
import { type AccountModel, accountModel } from './accounts/account-record.ts';
import { type AttemptCountModel, attemptCountModel } from './attempts.ts';
import { type AuditEventModel, auditEventModel } from './audit-events/audit-events.ts';
import { type DoctorProfileModel, doctorProfileModel } from './doctors/profile-record.ts';
import { type SweptProfileModel, sweptProfileModel } from './doctors/swept-profiles.ts';
import { type ErasureModel, erasureModel } from './erasures.ts';
import { type OutgoingMailModel, outgoingMailModel } from './messages.ts';
import { type ResetTokenModel, resetTokenModel } from './reset-tokens.ts';

/** The collections of this service, bound to one connection. */
export interface Models {
  accounts: AccountModel;
  profiles: DoctorProfileModel;
  tokens: AccessTokenModel;
  attemptCounts: AttemptCountModel;
  auditEvents: AuditEventModel;
  resetTokens: ResetTokenModel;
  outgoingMails: OutgoingMailModel;
  erasures: ErasureModel;
  sweptProfiles: SweptProfileModel;
}

/**
 * Binds the models to a connection.
 * @param connection an open Mongoose connection
 */
export const createModels = (connection: Connection): Models => ({
  accounts: accountModel(connection),
  profiles: doctorProfileModel(connection),
  tokens: accessTokenModel(connection),
  attemptCounts: attemptCountModel(connection),
  auditEvents: auditEventModel(connection),
  resetTokens: resetTokenModel(connection),
  outgoingMails: outgoingMailModel(connection),
  erasures: erasureModel(connection),
  sweptProfiles: sweptProfileModel(connection),
});
