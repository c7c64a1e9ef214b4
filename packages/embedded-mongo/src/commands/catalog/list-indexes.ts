import type { Document } from 'bson';
import { describeIndex } from '../../storage/index-spec.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { existingCollection } from '../support/existing-collection.ts';
import { wholeCursor } from '../support/replies.ts';

export const listIndexesCommand: CommandDefinition = { fields: ['cursor'], run: listIndexes };

function listIndexes(context: CommandContext): Document {
  const { namespace, indexes } = existingCollection(context, 'ns does not exist');
  return wholeCursor(
    namespace,
    indexes.map((index) => describeIndex(index.spec)),
  );
}
