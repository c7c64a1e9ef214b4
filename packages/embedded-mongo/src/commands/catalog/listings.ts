import { type Document, Long } from 'bson';
import { compileFilter } from '../../matching/matcher.ts';
import type { Collection } from '../../storage/collection.ts';
import { describeIndex, ID_INDEX_NAME } from '../../storage/index-spec.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { existingCollection } from '../support/existing-collection.ts';
import { documentField } from '../support/fields.ts';
import { wholeCursor } from '../support/replies.ts';

const PAGE_BYTES = 4096;

export const listDatabasesCommand: CommandDefinition = {
  fields: ['filter', 'nameOnly', 'authorizedDatabases'],
  run: listDatabases,
};

function listDatabases({ engine, command }: CommandContext): Document {
  const test = compileFilter(documentField(command, 'filter'));
  const names = new Set(engine.catalog.list().map((collection) => collection.database));
  const databases = [...names].map((name) => ({
    name,
    sizeOnDisk: Long.fromNumber(sizeOnDisk(engine.catalog.list(name))),
    empty: false,
  }));
  const listed = databases.filter(test);
  if (command.nameOnly) {
    return { databases: listed.map(({ name }) => ({ name })) };
  }
  const totalSize = listed.reduce((sum, database) => sum.add(database.sizeOnDisk), Long.ZERO);
  return { databases: listed, totalSize, totalSizeMb: totalSize.div(1024 * 1024) };
}

/** A rough number, because all databases share one file: one page for each collection and each index. */
function sizeOnDisk(collections: readonly Collection[]): number {
  return collections.reduce((sum, { indexes }) => sum + PAGE_BYTES * (1 + indexes.length), 0);
}

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

export const listIndexesCommand: CommandDefinition = { fields: ['cursor'], run: listIndexes };

function listIndexes(context: CommandContext): Document {
  const { namespace, indexes } = existingCollection(context, 'ns does not exist');
  return wholeCursor(
    namespace,
    indexes.map((index) => describeIndex(index.spec)),
  );
}
