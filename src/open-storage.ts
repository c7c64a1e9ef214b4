import type { Connection } from 'mongoose';
import type { Config } from './config.ts';
import { openDatabase } from './database/open-database.ts';
import type { DocumentStore } from './documents/document-store.ts';
import { LocalDocumentStore } from './documents/local-document-store.ts';
import { Quarantine } from './documents/quarantine.ts';
import type { HealthProbes } from './http/health.ts';
import { createIndexes, createModels, type Models } from './models/models.ts';
import { Sweep } from './sweep/sweep.ts';

/** Everything that outlives the process: the database and the documents. */
export interface Storage {
  connection: Connection;
  models: Models;
  documents: DocumentStore;
  quarantine: Quarantine;
  sweep: Sweep;
  probes: HealthProbes;
  close(): Promise<void>;
}

/**
 * Opens the database and the document store.
 * @throws when either cannot be used; nothing is left open
 */
export async function openStorage(config: Config): Promise<Storage> {
  const database = await openDatabase(
    config.database,
    (connection) => createIndexes(createModels(connection)),
    { monitorCommands: config.metricsPort !== undefined },
  );
  try {
    const { connection } = database;
    const models = createModels(connection);
    const documents = await openDocumentStore(config);
    const quarantine = new Quarantine(config.storageDir, config.maxFileBytes);
    await documents.prepare();
    await quarantine.prepare();
    const sweep = new Sweep(models, quarantine, documents);
    const probes = {
      database: async () => connection.db?.admin().ping() ?? Promise.reject(new Error('not open')),
      storage: () => documents.prepare(),
    };
    const close = () => documents.close().finally(database.close);
    return { connection, models, documents, quarantine, sweep, probes, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openDocumentStore({ storageDir, s3 }: Config): Promise<DocumentStore> {
  if (!s3) return new LocalDocumentStore(storageDir);
  // Loaded only here: Amazon's SDK costs start-up time and memory.
  const { S3DocumentStore } = await import('./documents/s3-document-store.ts');
  return new S3DocumentStore(s3);
}
