import { randomBytes } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import type { Connection } from 'mongoose';
import { connect } from '../../src/database/connect.ts';
import { DATABASE_LIMITS, type DatabaseLimits } from '../../src/database/database-limits.ts';
import type { StoredAccessToken } from '../../src/stores/access-tokens.ts';
import type { StoredAccount } from '../../src/stores/accounts.ts';
import type { DoctorProfile } from '../../src/stores/doctors.ts';
import { differencesIn } from './record-definitions.ts';

/**
 * Limits of the driver that no slow machine meets. They end a test that would otherwise hang. A server that is known to be
 * away is noticed as soon as in production.
 */
export const LONG_LIMITS: DatabaseLimits = {
  ...DATABASE_LIMITS,
  connectTimeoutMS: 60_000,
  waitQueueTimeoutMS: 60_000,
  socketTimeoutMS: 60_000,
};

/** The database that a test app keeps its data in, seen from outside the app. */
export interface TestDatabase {
  uri: string;
  db: Db;
  accounts: ReturnType<typeof collectionsOf>['accounts'];
  profiles: ReturnType<typeof collectionsOf>['profiles'];
  tokens: ReturnType<typeof collectionsOf>['tokens'];
  /** How many records there are of each kind. */
  count(): Promise<{ accounts: number; profiles: number; tokens: number }>;
  /** Closes the connection. */
  close(): Promise<void>;
  /** Removes all data, and closes the connection. */
  drop(): Promise<void>;
}

const collectionsOf = (db: Db) => ({
  accounts: db.collection<StoredAccount>('accounts'),
  profiles: db.collection<DoctorProfile>('doctor_profiles'),
  tokens: db.collection<StoredAccessToken>('access_tokens'),
});

/**
 * Opens a new database with a unique name.
 * @param server the connection string of a server; by default the one that global-setup.mjs has chosen
 */
export const openTestDatabase = (server = process.env.TEST_DATABASE_URI ?? ''): Promise<TestDatabase> =>
  openDatabase(server, `test_${process.env.TEST_RUN_ID}_${randomBytes(4).toString('hex')}`);

/** A new database and the gateway's connection to it, for all tests of the file. */
export function useDatabase(): { database: TestDatabase; connection: Connection } {
  const opened = {} as { database: TestDatabase; connection: Connection };
  beforeAll(async () => {
    opened.database = await openTestDatabase();
    opened.connection = await connect(opened.database.uri, LONG_LIMITS);
  });
  afterAll(async () => {
    await opened.connection.close();
    await opened.database.drop();
  });
  return opened;
}

/** Opens a database of a server, which others may use as well. */
export async function openDatabase(server: string, name: string): Promise<TestDatabase> {
  const client = await MongoClient.connect(uriOf(server, name));
  const db = client.db();
  // Only of new databases: a server that others may use is left as it is.
  const hasUser = process.env.TEST_DATABASE_USERS === 'on' && server === process.env.TEST_DATABASE_URI;
  const uri = hasUser ? await uriOfNewUser(db, server) : uriOf(server, name);
  const collections = collectionsOf(db);
  return {
    uri,
    db,
    ...collections,
    count: async () => ({
      accounts: await collections.accounts.countDocuments(),
      profiles: await collections.profiles.countDocuments(),
      tokens: await collections.tokens.countDocuments(),
    }),
    close: () => client.close(),
    drop: async () => {
      const differences = await differencesIn(db);
      await db.dropDatabase();
      if (hasUser) {
        await db.command({ dropUser: OWNER });
      }
      await client.close();
      if (differences.length > 0) {
        throw new Error(
          `Stored records differ from their definitions (record-definitions.ts):\n${differences.join('\n')}`,
        );
      }
    },
  };
}

const OWNER = 'gateway';

/** Makes the user of a database, who may do no more than docs/operations/database.md says, and returns its connection string. */
async function uriOfNewUser(db: Db, server: string): Promise<string> {
  const password = randomBytes(12).toString('hex');
  const roles = [{ role: 'readWrite', db: db.databaseName }];
  await db.command({ createUser: OWNER, pwd: password, roles });
  const own = server.replace(/\/\/(?:[^@/]*@)?/, `//${OWNER}:${password}@`);
  return uriOf(own, db.databaseName).replace(/authSource=[^&]*/, `authSource=${db.databaseName}`);
}

/** A server's connection string with another database name in it. */
function uriOf(server: string, database: string): string {
  const [, address, query = ''] =
    /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(?:\?(.*))?$/.exec(server) ?? [];
  if (address === undefined) {
    throw new Error('not a MongoDB connection string');
  }
  const options = new URLSearchParams(query);
  // Otherwise the driver would look for the user in the database of the string.
  if (address.includes('@') && !options.has('authSource')) {
    options.set('authSource', 'admin');
  }
  return `${address}/${database}${options.size > 0 ? `?${options}` : ''}`;
}
