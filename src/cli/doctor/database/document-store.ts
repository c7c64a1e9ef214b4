import { openDocumentStore } from '../../../app/storage.ts';
import type { Config } from '../../../config/config.ts';
import { databaseIdOf } from '../../../database/database-id.ts';
import { type Finding, warning } from '../finding.ts';

/**
 * Compares the id that the document store carries with that of the database. The check of the documents reports a store that
 * cannot be used.
 * @param placesKey the stored secret `known-places`; undefined if the database is new
 */
export async function* storeFindings(
  config: Pick<Config, 'storageDir' | 's3'>,
  placesKey: Buffer | undefined,
): AsyncGenerator<Finding & { check: string }> {
  const store = await openDocumentStore(config);
  const id = await store
    .readId()
    .catch(() => undefined)
    .finally(() => store.close());
  if (id !== undefined && (placesKey === undefined || id !== databaseIdOf(placesKey))) {
    const text =
      'The document store belongs to another database than this one, so the sweep removes nothing.';
    const todo = `Check DATA_DIR or MONGODB_URI; docs/operations.md, "Remove leftovers with npm run storage:sweep".`;
    yield { check: 'documents', ...warning(text, todo) };
  }
}
