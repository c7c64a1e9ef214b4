import { collModCommand } from './catalog/coll-mod.ts';
import { createCommand } from './catalog/create.ts';
import { createIndexesCommand } from './catalog/create-indexes.ts';
import { dropCommand, dropDatabaseCommand, dropIndexesCommand } from './catalog/drops.ts';
import { listCollectionsCommand, listDatabasesCommand, listIndexesCommand } from './catalog/listings.ts';
import { aggregateCommand } from './read/aggregate.ts';
import { countCommand } from './read/count.ts';
import { getMoreCommand, killCursorsCommand } from './read/cursor-commands.ts';
import { distinctCommand } from './read/distinct.ts';
import { explainCommand } from './read/explain.ts';
import { findCommand } from './read/find.ts';
import { SERVER_COMMANDS } from './server/server-commands.ts';
import type { CommandDefinition } from './support/command.ts';
import { bulkWriteCommand } from './write/bulk-write.ts';
import { deleteCommand } from './write/delete.ts';
import { findAndModifyCommand } from './write/find-and-modify.ts';
import { insertCommand } from './write/insert.ts';
import { updateCommand } from './write/update.ts';

/** Every command by its name. */
export const COMMANDS: Record<string, CommandDefinition> = {
  ...SERVER_COMMANDS,

  create: createCommand,
  drop: dropCommand,
  dropDatabase: dropDatabaseCommand,
  listDatabases: listDatabasesCommand,
  listCollections: listCollectionsCommand,
  createIndexes: createIndexesCommand,
  listIndexes: listIndexesCommand,
  dropIndexes: dropIndexesCommand,
  collMod: collModCommand,

  find: findCommand,
  getMore: getMoreCommand,
  killCursors: killCursorsCommand,
  count: countCommand,
  distinct: distinctCommand,
  aggregate: aggregateCommand,
  explain: explainCommand,

  insert: insertCommand,
  update: updateCommand,
  delete: deleteCommand,
  bulkWrite: bulkWriteCommand,
  findAndModify: findAndModifyCommand,
  findandmodify: findAndModifyCommand,
};
