import type { LimitedConnection } from '../database/exchange-limit.ts';
import { AccountStore } from './accounts/accounts.ts';
import { ErasureStore } from './erasures.ts';
import { IdStore } from './ids.ts';
import { ResetTokenStore } from './reset-tokens.ts';
import { SecretStore } from './secrets.ts';

/** The stored things, each with its store. */
export interface Stores {
  accounts: AccountStore;
  erasures: ErasureStore;
  ids: IdStore;
  resetTokens: ResetTokenStore;
  secrets: SecretStore;
}

/** @param database the connection must be open. All exchanges of the stores have its limit */
export const openStores = (database: LimitedConnection): Stores => ({
  accounts: new AccountStore(database),
  erasures: new ErasureStore(database),
  ids: new IdStore(database),
  resetTokens: new ResetTokenStore(database),
  secrets: new SecretStore(database),
});
