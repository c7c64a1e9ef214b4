import { largeAccountsRow } from '../support/large-accounts.js';
import { startDatabase } from '../support/server.js';

export const row = largeAccountsRow({
  on: 'the embedded database',
  start: (settings) => startDatabase(undefined, settings),
  hasLoop: true,
});
