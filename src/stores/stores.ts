import type { LimitedConnection } from '../database/exchange-limit.ts';
import { AccessTokenStore } from './access-tokens/access-tokens.ts';
import { AccountStore } from './accounts/accounts.ts';
import { AuditEventStore } from './audit-events/audit-events.ts';
import { ErasureStore } from './erasures.ts';
import { ResetTokenStore } from './reset-tokens.ts';

/** The stored things, each with its store. */
export interface Stores {
  accessTokens: AccessTokenStore;
  accounts: AccountStore;
  auditEvents: AuditEventStore;
  erasures: ErasureStore;
  resetTokens: ResetTokenStore;
}

/** @param database the connection must be open. All exchanges of the stores have its limit */
export const openStores = (database: LimitedConnection): Stores => ({
  accessTokens: new AccessTokenStore(database),
  accounts: new AccountStore(database),
  auditEvents: new AuditEventStore(database),
  erasures: new ErasureStore(database),
  resetTokens: new ResetTokenStore(database),
});
