import type { LimitedConnection } from '../database/exchange-limit.ts';
import { AccountStore } from './accounts/accounts.ts';
import { AttemptStore } from './attempts.ts';
import { ErasureStore } from './erasures.ts';
import { IdStore } from './ids.ts';
import { MessageStore } from './messages.ts';
import { ResetTokenStore } from './reset-tokens.ts';
import { SecretStore } from './secrets.ts';

/** The stored things, each with its store. */
export interface Stores {
  accounts: AccountStore;
  attempts: AttemptStore;
  erasures: ErasureStore;
  ids: IdStore;
  messages: MessageStore;
  resetTokens: ResetTokenStore;
  secrets: SecretStore;
}

/** @param database the connection must be open. All exchanges of the stores have its limit */
export const openStores = (database: LimitedConnection): Stores => ({
  accounts: new AccountStore(database),
  attempts: new AttemptStore(database),
  erasures: new ErasureStore(database),
  ids: new IdStore(database),
  messages: new MessageStore(database),
  resetTokens: new ResetTokenStore(database),
  secrets: new SecretStore(database),
});
