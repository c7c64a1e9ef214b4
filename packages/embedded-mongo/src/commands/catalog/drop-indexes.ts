import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { ID_INDEX_NAME } from '../../storage/index-spec.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { existingCollection, existingIndex } from '../support/existing-collection.ts';

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
