import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import type { Collection } from '../../storage/collection.ts';
import { ID_INDEX_NAME, type Index } from '../../storage/index-spec.ts';
import { equalValues } from '../../values/compare.ts';
import { isDocument } from '../../values/types.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { existingCollection } from '../support/existing-collection.ts';

export const dropIndexesCommand: CommandDefinition = { fields: ['index'], isWrite: true, run: dropIndexes };

function dropIndexes(context: CommandContext): Promise<Document> {
  const wanted = context.command.index;
  return context.engine.store.write(() => {
    const collection = existingCollection(context, 'ns not found');
    const nIndexesWas = collection.indexes.length;
    const dropped =
      wanted === '*'
        ? collection.allIndexes.filter((index) => index.spec.name !== ID_INDEX_NAME)
        : [wanted].flat().map((each) => indexOf(collection, each));
    context.engine.catalog.dropIndexes(collection, dropped);
    return { nIndexesWas };
  });
}

/** An index by its name or its key. */
function indexOf(collection: Collection, wanted: unknown): Index {
  const [found, another] = collection.allIndexes.filter(({ spec }) =>
    isDocument(wanted) ? equalValues(spec.key, wanted) : spec.name === wanted,
  );
  if (another) {
    throw mongoError('AmbiguousIndexKeyPattern', `${collection.namespace} has several indexes with this key`);
  }
  if (!found) {
    const message = isDocument(wanted)
      ? `can't find index with key: ${JSON.stringify(wanted)}`
      : `index not found with name [${wanted}]`;
    throw mongoError('IndexNotFound', message);
  }
  if (found.spec.name === ID_INDEX_NAME) {
    throw mongoError('InvalidOptions', 'cannot drop _id index');
  }
  return found;
}
