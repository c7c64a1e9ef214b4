import type { Document } from 'bson';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';

export const dropCommand: CommandDefinition = { fields: [], isWrite: true, run: drop };

function drop(context: CommandContext): Promise<Document> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  return store.write(() => {
    const collection = catalog.find(namespace);
    if (!collection) {
      // Since MongoDB 7.0, to drop a collection that does not exist is no error.
      return {};
    }
    const nIndexesWas = collection.indexes.length;
    catalog.drop([collection]);
    return { nIndexesWas, ns: namespace };
  });
}
