import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { formatToken, generateSecret, hashSecret } from '../../dist/auth/tokens/token-format.js';
import { registerPatient } from './http.js';
import { startProduction } from './server.js';

export const PASSWORD = 'correct horse';
const BATCH = 5000;
const MODEL = 'model@bench.example';
/** Old enough for the sweep to check, like nearly all records of a real database. */
const CREATED_AT = new Date('2026-01-01T00:00:00Z');

export const emailOf = (i) => `account-${i}@bench.example`;
/** As long as the gateway's ids, and lower than all of them. */
export const idOf = (i) => String(i).padStart(24, '0');

/**
 * Inserts documents 0 to count - 1 without waiting for the disk, because the data of a benchmark need not survive a crash.
 * It makes the next batch while the engine inserts one.
 */
export async function insertAll(collection, count, make) {
  let inserted;
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from);
    const batch = Array.from({ length: size }, (_, i) => make(from + i));
    await inserted;
    inserted = collection.insertMany(batch, { ordered: false, writeConcern: { w: 1, j: false } });
  }
  await inserted;
}

async function registerModel(uri, settings) {
  const gateway = await startProduction({ ...settings, MONGODB_URI: uri });
  await registerPatient(gateway.port, MODEL, PASSWORD);
  await gateway.stop();
}

/**
 * Opens the database of a gateway, to fill it with copies of the records that one registration through that gateway has
 * stored. So the copies have all fields of the gateway's records.
 * @param uri of the engine
 * @param settings of the gateway that registers, such as its BCRYPT_COST
 */
export async function openSeed(uri, settings) {
  const client = await new MongoClient(uri).connect();
  const database = client.db('auth_gateway');
  const [accounts, tokens] = [database.collection('accounts'), database.collection('access_tokens')];
  const findModel = () => accounts.findOne({ emailKey: MODEL });
  const account = (await findModel()) ?? (await registerModel(uri, settings).then(findModel));
  const token = await tokens.findOne({ accountId: account._id });

  /** Makes accounts 0 to count - 1, all with {@link PASSWORD}. */
  const addAccounts = async (count) =>
    insertAll(accounts, count, (i) => {
      const [email, createdAt] = [emailOf(i), CREATED_AT];
      return { ...account, _id: idOf(i), name: `Account ${i}`, email, emailKey: email, createdAt };
    });

  /** Makes tokens of the accounts 0 to count - 1, in turn, and returns their plain texts. */
  const addTokens = async (howMany, count) => {
    const plainTexts = [];
    await insertAll(tokens, howMany, (i) => {
      const [tokenId, secret] = [randomBytes(12).toString('hex'), generateSecret('')];
      plainTexts.push(formatToken({ tokenId, secret }));
      return { ...token, _id: tokenId, accountId: idOf(i % count), secretHash: hashSecret(secret) };
    });
    return plainTexts;
  };

  /** Makes events of the audit trail: copies of that of the registration, with these changes by their number. */
  const addEvents = async (count, changesOf) => {
    const events = database.collection('audit_events');
    const { unpublished: _, ...event } = await events.findOne({
      accountId: account._id,
      act: 'registration',
    });
    await insertAll(events, count, (i) => ({ ...event, _id: idOf(i), ...changesOf(i) }));
  };

  const close = () => client.close();
  return { database, addAccounts, addTokens, addEvents, close };
}

/** Makes accounts at cost 4 with one token each, and returns the plain texts of the tokens. */
export async function tokensOfClients(uri, clients) {
  const seed = await openSeed(uri, { BCRYPT_COST: '4' });
  await seed.addAccounts(clients);
  const tokens = await seed.addTokens(clients, clients);
  await seed.close();
  return tokens;
}
