import type { LimitedConnection } from '../database/exchange-limit.ts';
import { AccountStore } from './accounts/accounts.ts';
import { DoctorStore } from './doctors/doctors.ts';
import { ErasureStore } from './erasures.ts';
import { ResetTokenStore } from './reset-tokens.ts';

/** The stored things, each with its store. */
export interface Stores {
  accounts: AccountStore;
  doctors: DoctorStore;
  erasures: ErasureStore;
  resetTokens: ResetTokenStore;
}

/** @param database the connection must be open. All exchanges of the stores have its limit */
export const openStores = (database: LimitedConnection): Stores => {
  const accounts = new AccountStore(database);
  return {
    accounts,
    doctors: new DoctorStore(database, accounts),
    erasures: new ErasureStore(database),
    resetTokens: new ResetTokenStore(database),
  };
};
