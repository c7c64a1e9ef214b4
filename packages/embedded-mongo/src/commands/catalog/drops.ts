import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { ID_INDEX_NAME } from '../../storage/index-spec.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { existingCollection, existingIndex } from '../support/existing-collection.ts';

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

export const dropDatabaseCommand: CommandDefinition = { fields: [], isWrite: true, run: dropDatabase };

function dropDatabase({ engine, database }: CommandContext): Promise<Document> {
  return engine.store.write(() => {
    const collections = engine.catalog.list(database);
    engine.catalog.drop(collections);
    return collections.length > 0 ? { dropped: database } : {};
  });
}

export const dropIndexesCommand: CommandDefinition = { fields: ['index'], isWrite: true, run: dropIndexes };

function dropIndexes(context: CommandContext): Promise<Document> {
  const wanted = context.command.index;
  return context.engine.store.write(() => {
    const collection = existingCollection(context, 'ns not found');
    const nIndexesWas = collection.indexes.length;
    const dropped =
      wanted === '*'
        ? collection.allIndexes.filter((index) => index.spec.name !== ID_INDEX_NAME)
        : [wanted].flat().map((each) => existingIndex(collection, each));
    if (dropped.some(({ spec }) => spec.name === ID_INDEX_NAME)) {
      throw mongoError('InvalidOptions', 'cannot drop _id index');
    }
    context.engine.catalog.dropIndexes(collection, dropped);
    return { nIndexesWas };
  });
}
