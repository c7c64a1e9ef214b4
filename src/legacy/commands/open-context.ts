import { openDocumentStore } from '../../app/storage.ts';
import { AuditTrail } from '../../auth/audit/audit-trail.ts';
import { UsageError } from '../../cli/command-line.ts';
import type { Config } from '../../config/config.ts';
import { hasDatabase, openBesideGateway } from '../../database/open-beside-gateway.ts';
import type { Database, Prepare } from '../../database/open-database.ts';
import { createIndexes } from '../../stores/indexes.ts';
import { migrate, requireSchema } from '../../stores/schema-version.ts';
import { openStores, type Stores } from '../../stores/stores.ts';
import { systemClock } from '../../system/clock.ts';
import { createLog, type Logger } from '../../system/log.ts';
import { messageOf } from '../../system/system-errors.ts';
import { Journal } from '../journal/journal.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { LegacyError } from '../legacy-error.ts';
import { DEFAULT_POLICY } from '../records/legacy-record.ts';
import { LegacyDatabase } from '../source/legacy-database.ts';
import { DEFAULT_TABLES, type LegacyTables, readTables } from '../source/legacy-tables.ts';
import { type ReadTime, timeReader } from '../source/legacy-time.ts';
import { isDatabaseUrl, type LegacyInvocation, type LegacyOptions } from './options.ts';

/** What the commands get that only look at the legacy service. */
export type SourceContext = Pick<
  LegacyContext,
  'source' | 'filesDir' | 'readTime' | 'policy' | 'clock' | 'observer' | 'signal'
>;

/** Opens the legacy service's database, and closes it in the end. */
export async function withSource<T>(
  { config, output, signal }: LegacyInvocation,
  options: LegacyOptions,
  act: (context: SourceContext) => Promise<T>,
): Promise<T> {
  const uri = options.from ?? config.legacy.databaseUrl;
  if (uri === undefined) {
    throw new UsageError('The legacy database is missing: give --from, or set LEGACY_DATABASE_URL.');
  }
  if (!isDatabaseUrl(uri)) {
    throw new LegacyError(
      'LEGACY_DATABASE_URL must be an address such as mysql://user:password@host/database.',
    );
  }
  const tables = await tablesOf(options);
  const readTime: ReadTime = timeReader(options.timeZone);
  const source = await LegacyDatabase.open(uri, tables);
  const { filesDir } = options;
  // A command that knows of an import takes the policy of that.
  const context = { source, filesDir, readTime, policy: DEFAULT_POLICY, clock: systemClock, signal };
  return act({ ...context, observer: output }).finally(() => source.close());
}

const tablesOf = async ({ mapFile }: LegacyOptions): Promise<LegacyTables> =>
  mapFile === undefined ? DEFAULT_TABLES : await readTables(mapFile);

/**
 * What a command does with the gateway's database.
 * - `look`: nothing is made. A database that does not exist is an empty one in memory.
 * - `write`: the database, its indexes and the folders of the documents are made if they do not exist.
 * - `beside`: the database must exist.
 */
export type Access = 'look' | 'write' | 'beside';

/**
 * Opens the legacy service's database and the gateway's, and closes both in the end.
 */
export const withContext = <T>(
  invocation: LegacyInvocation,
  options: LegacyOptions,
  access: Access,
  act: (context: LegacyContext) => Promise<T>,
): Promise<T> =>
  withSource(invocation, options, async (sourceContext) => {
    const database = await openGatewayDatabase(invocation.config, access);
    const { connection } = database;
    try {
      const documents = await openDocumentStore(invocation.config);
      try {
        if (access !== 'look') {
          await documents.prepare().catch(refuseStore);
        }
        const stores = openStores(database);
        const journal = new Journal(connection);
        const audit = openAudit(invocation, stores);
        const { idleMillis: tokenIdleMillis } = invocation.config.tokenLifetimes.everyone;
        return await act({
          ...sourceContext,
          stores,
          documents,
          audit,
          journal,
          tokenIdleMillis,
        }).finally(() => audit.close());
      } finally {
        await documents.close();
      }
    } finally {
      await database.close();
    }
  });

/** The log of a command, among its notes. */
export const logOf = ({ config, output }: LegacyInvocation): Logger =>
  createLog(config.logLevel, { write: (line: string) => output.note(line.trimEnd()) });

function openAudit(invocation: LegacyInvocation, { auditEvents }: Stores): AuditTrail {
  const { auditRetentionMillis } = invocation.config;
  return new AuditTrail({ auditEvents, auditRetentionMillis, clock: systemClock, log: logOf(invocation) });
}

function refuseStore(error: unknown): never {
  const text = `The documents cannot be stored (STORAGE_DIR or S3_BUCKET): ${messageOf(error)}`;
  throw new LegacyError(text, { cause: error });
}

function openGatewayDatabase({ database }: Config, access: Access): Promise<Database> {
  if (access === 'write') {
    return openBesideGateway(database, { mayCreate: true, prepare: makeDatabase });
  }
  if (access === 'beside') {
    return openBesideGateway(database, { mayCreate: false, prepare: requireSchema });
  }
  const isMissing = database.kind === 'embedded' && !hasDatabase(database.dataDir);
  return isMissing ? openEmpty() : openBesideGateway(database, { mayCreate: false, prepare: requireSchema });
}

/** Makes what the first start of a gateway makes. */
const makeDatabase: Prepare = async (connection) => {
  await requireSchema(connection);
  await createIndexes(connection);
  await migrate(connection, { clock: systemClock });
};

/** An empty database that leaves nothing behind. */
async function openEmpty(): Promise<Database> {
  const { startEmbeddedMongo } = await import('@auth-gateway/embedded-mongo');
  const engine = await startEmbeddedMongo();
  const config = { kind: 'mongodb', uri: engine.uri } as const;
  const opened = await openBesideGateway(config, { mayCreate: false }).catch(async (error: unknown) => {
    await engine.stop();
    throw error;
  });
  return { ...opened, close: () => opened.close().finally(() => engine.stop()) };
}
