import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import bcrypt from 'bcrypt';
import type { Connection } from 'mongoose';
import { openDocumentStore } from '../../../../src/app/storage.ts';
import { AuditTrail } from '../../../../src/auth/audit/audit-trail.ts';
import { openContext } from '../../../../src/cli/admin/open-context.ts';
import { Output } from '../../../../src/cli/output.ts';
import { readConfig } from '../../../../src/config/config.ts';
import { connect } from '../../../../src/database/connect.ts';
import { Journal } from '../../../../src/legacy/journal/journal.ts';
import type { InvalidRow, LegacyContext } from '../../../../src/legacy/legacy-context.ts';
import { DEFAULT_POLICY } from '../../../../src/legacy/records/legacy-record.ts';
import { LegacyDatabase } from '../../../../src/legacy/source/legacy-database.ts';
import { DEFAULT_TABLES } from '../../../../src/legacy/source/legacy-tables.ts';
import { timeReader } from '../../../../src/legacy/source/legacy-time.ts';
import { openStores, type Stores } from '../../../../src/stores/stores.ts';
import { createLog } from '../../../../src/system/log.ts';
import { filesBelow } from '../../../documents/support/aftermath.ts';
import { LONG_LIMITS } from '../../../support/database.ts';
import { Killed, KillSwitch } from '../../../support/kill-switch.ts';
import { rememberPassword } from '../../../support/response-record.ts';
import { createTestApp, storedDocuments, type TestApp, testClock } from '../../../support/test-app.ts';
import { addFile } from '../legacy-service.ts';
import { createLegacyTables } from '../legacy-tables.mjs';
import { type MariaDb, startMariaDb } from '../mariadb.mjs';

/** Those of the legacy database. */
export const TABLES = ['accounts', 'doctor_profiles', 'personal_access_tokens'] as const;

/** Ids that are registered here are above this. No test has so many rows there. */
export const FIRST_ID_HERE = 10_000_000;
/** No two lives have an id in common, because the gateway remembers tokens. All have the same digits, and so the same order. */
const FIRST_ID_THERE = 1_000_000;
const IDS_OF_A_LIFE = 400;
const FILES = 12;
/** Three years. The rows of a life are one or two years old. */
export const IDLE_MINUTES = 3 * 525_600;

/** A password, and a hash of it as PHP makes them. */
interface MadePassword {
  password: string;
  hash: string;
}

type Operator = Awaited<ReturnType<typeof openContext>>['context'];

/** A legacy database, a running gateway, and what the commands of a move need, for many lives one after the other. */
export interface World {
  legacy: MariaDb;
  app: TestApp;
  /** The commands of an operator. */
  operator: Operator;
  reviews: Awaited<ReturnType<Operator['openReviews']>>;
  leaving: Awaited<ReturnType<Operator['openErasureAdmin']>>;
  /** What the use of a mailed link does. */
  proveEmail: Stores['accounts']['proveEmail'];
  passwords: readonly MadePassword[];
  /** Paths of documents that the legacy service has, and their folder. */
  files: readonly string[];
  filesDir: string;
  /** The next id that was never used there. */
  nextId(): number;
  /** Runs a part of a move, as a process of its own would. */
  command<T>(killAfter: number | undefined, act: (context: LegacyContext) => Promise<T>): Promise<T>;
  /** What the last command has found. */
  found: InvalidRow[];
  /** Removes all records and documents, there and here. What happens then does not depend on what was before. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  // Jest wants 100 frames. The driver of MariaDB takes a stack with each query, which costs a tenth of the time of a life.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 10;
  const legacy = await startMariaDb();
  await createLegacyTables(legacy.query);
  for (const table of TABLES) {
    // The way back writes ids from here, and no removal of rows lowers this: so all lives have it.
    await legacy.query(`ALTER TABLE ${table} AUTO_INCREMENT = ${FIRST_ID_HERE}`);
  }
  await legacy.query(
    'ALTER TABLE accounts ADD deleted_at timestamp NULL, ADD email_verified_at timestamp NULL',
  );
  const settings = {
    ID_FORMAT: 'integer',
    BCRYPT_COST: '5',
    PASSWORD_CHECK: 'off',
    LOG_LEVEL: 'error',
    TOKEN_IDLE_MINUTES: `${IDLE_MINUTES}`,
  };
  const app = await createTestApp(settings);
  const filesDir = await mkdtemp(path.join(tmpdir(), 'auth-gateway-life-'));
  const files = await addFiles(filesDir);
  const connection = await connect(app.database.uri, LONG_LIMITS);
  const config = readConfig({
    ...settings,
    NODE_ENV: 'test',
    MONGODB_URI: app.database.uri,
    STORAGE_DIR: app.storageDir,
  });
  const documents = await openDocumentStore(config);
  const stdin = { isTTY: false } as never;
  const operator = await openContext(config, {
    as: 'life',
    stdin,
    log: process.stderr,
    output: new Output(process, false),
  });
  const stores = openStores({ connection });
  const beginning = testClock.now();
  let id = FIRST_ID_THERE;
  const world: World = {
    legacy,
    app,
    operator: operator.context,
    reviews: await operator.context.openReviews(),
    leaving: await operator.context.openErasureAdmin(),
    proveEmail: stores.accounts.proveEmail.bind(stores.accounts),
    passwords: await makePasswords(),
    files,
    filesDir,
    nextId: () => {
      id += 1;
      return id;
    },
    found: [],
    async command(killAfter, act) {
      world.found = [];
      const parts = {
        connection,
        stores,
        documents,
        filesDir,
        found: (finding: InvalidRow) => world.found.push(finding),
      };
      return runCommand(legacy.uri, parts, killAfter, act);
    },
    async reset() {
      testClock.set(beginning);
      id += IDS_OF_A_LIFE - ((id - FIRST_ID_THERE) % IDS_OF_A_LIFE);
      await removeRecords(legacy, app);
      await removeFiles(app.storageDir, await storedDocuments(app));
      await removeFiles(
        filesDir,
        (await filesBelow(filesDir)).filter((file) => !files.includes(file)),
      );
    },
    async stop() {
      Error.stackTraceLimit = stackTraceLimit;
      await operator.close();
      await documents.close();
      await connection.close();
      await app.stop();
      await legacy.stop();
      await rm(filesDir, { recursive: true });
    },
  };
  return world;
}

const CREATED_AT = '2024-02-29 12:00:00';

/** Adds the account of a doctor to the legacy database, and a profile if there are values for it. */
export async function addDoctor({ legacy, passwords }: World, id: number, profile?: object): Promise<void> {
  const account = {
    id,
    name: `Doctor ${id}`,
    email: `doctor.${id}@example.org`,
    phone: `+1 ${id}`,
    role: 'doctor',
  };
  const password = passwords[0]?.hash;
  await legacy.query('INSERT INTO accounts SET ?', [{ ...account, password, created_at: CREATED_AT }]);
  await (profile && addProfile({ legacy }, id, profile));
}

/** Adds the profile of an account. */
export const addProfile = ({ legacy }: Pick<World, 'legacy'>, id: number, values: object): Promise<unknown> =>
  legacy.query('INSERT INTO doctor_profiles SET ?', [
    {
      ...{ id, user_id: id, specialization: 'Cardiology', license_number: `MD-${id}` },
      ...{ diploma_file_path: '', created_at: CREATED_AT, ...values },
    },
  ]);

async function makePasswords(): Promise<MadePassword[]> {
  const passwords = ['first word', 'second word', 'third word', 'fourth wörd'];
  return Promise.all(
    passwords.map(async (password) => {
      rememberPassword(password);
      return { password, hash: (await bcrypt.hash(password, 4)).replace('$2b$', '$2y$') };
    }),
  );
}

async function addFiles(filesDir: string): Promise<string[]> {
  const nameOf = (index: number) => createHash('sha256').update(`${index}`).digest('hex').slice(0, 40);
  const files = Array.from({ length: FILES }, (_, index) => `doctor_profiles/licenses/${nameOf(index)}.pdf`);
  for (const file of files) {
    await addFile(filesDir, file);
  }
  return files;
}

interface CommandParts {
  connection: Connection;
  stores: Stores;
  documents: LegacyContext['documents'];
  filesDir: string;
  found(finding: InvalidRow): void;
}

async function runCommand<T>(
  uri: string,
  { connection, stores, documents, filesDir, found }: CommandParts,
  killAfter: number | undefined,
  act: (context: LegacyContext) => Promise<T>,
): Promise<T> {
  const source = await LegacyDatabase.open(uri, DEFAULT_TABLES);
  const log = createLog('silent', { write: () => {} });
  const audit = new AuditTrail({
    auditEvents: stores.auditEvents,
    auditRetentionMillis: undefined,
    clock: testClock,
    log,
  });
  const killing = new KillSwitch({ connection, documents, source });
  killing.killAfter(killAfter);
  try {
    return await act({
      source,
      filesDir,
      stores,
      documents,
      audit,
      journal: new Journal(connection),
      readTime: timeReader('UTC'),
      policy: DEFAULT_POLICY,
      tokenIdleMillis: undefined,
      clock: testClock,
      observer: { found, progress: () => {} },
      signal: new AbortController().signal,
    });
  } catch (error) {
    // The driver words the end of a connection in its own way.
    throw killing.hasKilled ? new Killed('killed', { cause: error }) : error;
  } finally {
    await audit.close();
    await killing.end();
  }
}

/** Of the gateway itself. */
const KEPT = ['counters', 'schema', 'secrets'];

async function removeRecords({ query }: MariaDb, { database: { db } }: TestApp): Promise<void> {
  await query(`SET FOREIGN_KEY_CHECKS = 0; ${TABLES.map((table) => `DELETE FROM ${table}`).join('; ')}`);
  const collections = await db.listCollections().toArray();
  const names = collections.map(({ name }) => name).filter((name) => !KEPT.includes(name));
  await Promise.all(names.map((name) => db.collection(name).deleteMany({})));
  await db
    .collection<{ _id: string }>('counters')
    .updateMany({ _id: { $in: ['accounts', 'access_tokens'] } }, { $max: { value: FIRST_ID_HERE } });
}

const removeFiles = (folder: string, files: readonly string[]) =>
  Promise.all(files.map((file) => rm(path.join(folder, file))));
