import { NotReadyError } from '../api/http/health.ts';
import { Sweep } from '../auth/sweep/sweep.ts';
import type { Config } from '../config/config.ts';
import { ConfirmedPrimary, canConfirm, followPrimary } from '../database/confirmed-primary.ts';
import { databaseIdOf } from '../database/database-id.ts';
import { REQUEST_EXCHANGE_MILLIS } from '../database/exchange-limit.ts';
import { refuseUnfinished } from '../database/move/unfinished-move.ts';
import { type DatabaseWait, openDatabase, type Prepare } from '../database/open-database.ts';
import type { DatabaseServer } from '../database/server.ts';
import { ping } from '../database/server-greeting.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { LocalDocumentStore } from '../documents/local-document-store.ts';
import { Quarantine } from '../documents/quarantine.ts';
import { IdStore } from '../stores/ids.ts';
import { createIndexes } from '../stores/indexes.ts';
import { migrate, refuseNewer, SchemaStore } from '../stores/schema-version.ts';
import { openStores } from '../stores/stores.ts';
import type { Clock } from '../system/clock.ts';
import { messageOf } from '../system/system-errors.ts';

/** The database and the documents: all data that outlives the process. */
export type Storage = Awaited<ReturnType<typeof openStorage>>;

/** How the database of a gateway starts. */
interface DatabaseStart {
  /** How to wait for a database that does not answer; without it, a first failure is final. */
  wait?: DatabaseWait;
  /** Its server, if it is already starting. */
  starting?: Promise<DatabaseServer> | undefined;
}

/**
 * Opens the database and the document store.
 * @throws if one of them cannot be used; the text has the reason and the setting. Nothing is left open
 */
export async function openStorage(config: Config, clock: Clock, { wait, starting }: DatabaseStart = {}) {
  let hasMajority = false;
  const prepare: Prepare = async (connection) => {
    await refuseUnfinished(connection);
    await refuseNewer(connection);
    await createIndexes(connection);
    await migrate(connection, { clock, log: wait?.log, signal: wait?.signal });
    if (config.idFormat === 'integer') {
      await new IdStore({ connection }).make();
    }
    const onUnknown = (err: unknown) =>
      wait?.log.warn(
        { err },
        'the database confirms no primary: a former one may answer until it steps down',
      );
    hasMajority = await canConfirm(
      connection,
      () => new SchemaStore({ connection }).confirmPrimary(),
      onUnknown,
    );
  };
  const monitorCommands = config.metricsPort !== undefined || config.tracing !== undefined;
  const options = { ...config.databaseLimits, monitorCommands };
  const limit = { maxMillis: REQUEST_EXCHANGE_MILLIS, clock };
  const database = await openDatabase(config.database, prepare, { options, wait, starting, limit });
  const { connection } = database;
  const schema = new SchemaStore(database);
  const primary = hasMajority ? new ConfirmedPrimary(() => schema.confirmPrimary()) : undefined;
  const closeDatabase = () => Promise.resolve(primary?.stop()).finally(database.close);
  try {
    const isWithoutPrimary = followPrimary(connection);
    await primary?.start();
    const stores = openStores({ connection, limit: { ...limit, primary } });
    const documents = await openDocumentStore(config);
    const quarantine = new Quarantine(config.storageDir, config.maxFileBytes);
    await prepareFolders(config, documents, quarantine);
    const placesKey = await stores.secrets.findOrMake('known-places');
    const passkeyKey = config.passkeys && (await stores.secrets.findOrMake('passkey-challenges'));
    const databaseId = databaseIdOf(placesKey);
    const sweep = new Sweep({ stores, quarantine, documents, databaseId, clock });
    // Before the first registration. Without an id the sweep removes nothing, so a failure is no reason not to start.
    await sweep.pairing.claimEmpty().catch(() => {});
    const probes = {
      database: async () => {
        if (isWithoutPrimary()) {
          throw new NotReadyError('has no primary');
        }
        await ping(database);
        if (primary?.isConfirmed === false) {
          throw new NotReadyError('has no primary that a majority confirms');
        }
        if ((await database.hasRoom?.()) === false) {
          throw new NotReadyError('is out of room');
        }
      },
      // Uploads go to quarantine, whatever the document store is.
      storage: () => Promise.all([documents.prepare(), quarantine.prepare()]),
    };
    return {
      connection,
      stores,
      /** The key of the digests of known places. */
      placesKey,
      /** The key of the challenges of passkeys; undefined if there are none. */
      passkeyKey,
      /** The id that the backups of the database and the document store carry. */
      databaseId,
      documents,
      quarantine,
      sweep,
      /** Writes a backup of an embedded database. */
      writeBackup: database.backup,
      probes,
      close: () => documents.close().finally(closeDatabase),
    };
  } catch (error) {
    await closeDatabase();
    throw error;
  }
}

/** @throws an error for people */
async function prepareFolders(
  { storageDir, s3 }: Config,
  documents: DocumentStore,
  quarantine: Quarantine,
): Promise<void> {
  const refuse = (what: string) => (error: unknown) => {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  };
  const folder = `The storage folder ${storageDir} cannot be written to (STORAGE_DIR)`;
  await quarantine.prepare().catch(refuse(folder));
  await documents.prepare().catch(refuse(s3 ? `The bucket ${s3.bucket} cannot be used (S3_BUCKET)` : folder));
}

/** The store of the documents. It is not prepared yet. */
export async function openDocumentStore({
  storageDir,
  s3,
}: Pick<Config, 'storageDir' | 's3'>): Promise<DocumentStore> {
  if (!s3) {
    return new LocalDocumentStore(storageDir);
  }
  // Loaded only if it is used.
  const { S3DocumentStore } = await import('../documents/s3/s3-document-store.ts');
  return new S3DocumentStore(s3);
}
