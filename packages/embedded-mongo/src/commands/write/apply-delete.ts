import type { Document } from 'bson';
import { type CommandContext, namespaceOf } from '../support/command.ts';
import { prescan, statementQuery, targetsOf } from './targets.ts';

/** Deletes the documents of a statement (`q sort collation hint`). `first` is the first document that it deleted. */
export async function applyDelete(
  context: CommandContext,
  statement: Document,
  multi: boolean,
): Promise<{ removed: number; first?: Document }> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  const query = statementQuery(context, statement, multi);
  const candidates = await prescan(context, catalog.find(namespace), query);
  return store.write(() => {
    const result: { removed: number; first?: Document } = { removed: 0 };
    const collection = catalog.find(namespace);
    if (!collection) {
      return result;
    }
    for (const { record, document } of targetsOf(collection, query, candidates)) {
      collection.remove(record, document);
      result.removed++;
      result.first ??= document;
    }
    return result;
  });
}
