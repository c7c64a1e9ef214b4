import type { Document } from 'bson';
import { compileFilter } from '../../matching/matcher.ts';
import { ID_INDEX_NAME } from '../../storage/index-spec.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { documentField } from '../support/fields.ts';
import { wholeCursor } from '../support/replies.ts';

export const listCollectionsCommand: CommandDefinition = {
  fields: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  run: listCollections,
};

function listCollections({ engine, command, database }: CommandContext): Document {
  const test = compileFilter(documentField(command, 'filter'));
  const all = engine.catalog.list(database).map(({ name, options }) => ({
    name,
    type: 'collection',
    ...(!command.nameOnly && {
      options,
      info: { readOnly: false },
      idIndex: { v: 2, key: { _id: 1 }, name: ID_INDEX_NAME },
    }),
  }));
  return wholeCursor(`${database}.$cmd.listCollections`, all.filter(test));
}
