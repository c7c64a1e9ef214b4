import type { LimitedConnection } from '../database/exchange-limit.ts';
import { ErasureStore } from './erasures.ts';
import { ResetTokenStore } from './reset-tokens.ts';

/** The stored things, each with its store. */
export interface Stores {
  erasures: ErasureStore;
  resetTokens: ResetTokenStore;
}

/** @param database the connection must be open. All exchanges of the stores have its limit */
export const openStores = (database: LimitedConnection): Stores => ({
  erasures: new ErasureStore(database),
  resetTokens: new ResetTokenStore(database),
});
