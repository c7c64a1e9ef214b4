import type { Connection, Model, mongo } from 'mongoose';
import { type AccessTokenModel, accessTokenModel } from './access-tokens.ts';
import { type AccountModel, accountModel } from './accounts/account-record.ts';
import { type AttemptCountModel, attemptCountModel } from './attempts.ts';
import { type AuditEventModel, auditEventModel } from './audit-events.ts';
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

/**
 * Creates every collection and index. The port opens only after this: the unique e-mail index decides races between
 * registrations, so no request may run without it.
 */
export async function createIndexes(models: Models): Promise<void> {
  await Promise.all(Object.values(models).map(createIndexesOf));
}

/** Sends one command. Mongoose would send one for each index, one after the other. */
async function createIndexesOf(model: Model<never>): Promise<void> {
  const indexes = model.schema.indexes().map(([key, options]) => ({ key, ...options }));
  await model.collection.createIndexes(indexes as mongo.IndexDescription[]);
}
