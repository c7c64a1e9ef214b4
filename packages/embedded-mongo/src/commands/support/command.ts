import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import type { CursorRegistry } from '../../query/cursors.ts';
import type { Catalog } from '../../storage/catalog.ts';
import type { Store } from '../../storage/store.ts';
import { bsonTypeName } from '../../values/type-names.ts';

/** What all connections share. */
export interface Engine {
  store: Store;
  catalog: Catalog;
  cursors: CursorRegistry;
  /** Milliseconds since the epoch. */
  startedAt: number;
  connections: { current: number; totalCreated: number };
}

/** One command that runs: the engine, the database of the command and its fields. */
export interface CommandContext {
  engine: Engine;
  database: string;
  command: Document;
  connectionId: number;
}

/** A command: its own fields, besides those that all commands share, and its function. */
export interface CommandDefinition {
  fields: readonly string[];
  /** A write waits for the disk when its write concern says so. */
  isWrite?: boolean;
  run(context: CommandContext): Promise<Document> | Document;
}

/** `database.collection`: the collection is the value of the command's first field. */
export function namespaceOf({ command, database }: CommandContext): string {
  const [name = ''] = Object.keys(command);
  const collection = command[name];
  if (typeof collection !== 'string') {
    throw mongoError('InvalidNamespace', `collection name has invalid type ${bsonTypeName(collection)}`);
  }
  if (collection === '') {
    throw mongoError('InvalidNamespace', `Invalid namespace specified '${database}.'`);
  }
  return `${database}.${collection}`;
}
