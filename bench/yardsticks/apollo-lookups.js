/* Bare Apollo Server 5 whose `me` is two look-ups by the bare driver: the token's, and its account's. */
import { serveMe } from './apollo.js';
import { openDatabase } from './listen.js';
import { findToken } from './token-lookup.js';

const ROLES = { doctor: 'DOCTOR', patient: 'PATIENT' };
const database = await openDatabase();
const [tokens, accounts] = [database.collection('access_tokens'), database.collection('accounts')];

await serveMe(async (req) => {
  const { accountId } = await findToken(tokens, req);
  const { _id, name, email, role } = await accounts.findOne({ _id: accountId });
  return { id: _id, name, email, role: ROLES[role] };
});
