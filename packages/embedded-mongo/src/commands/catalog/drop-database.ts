import type { Document } from 'bson';
import type { CommandContext, CommandDefinition } from '../support/command.ts';

export const dropDatabaseCommand: CommandDefinition = { fields: [], isWrite: true, run: dropDatabase };

function dropDatabase({ engine, database }: CommandContext): Promise<Document> {
  return engine.store.write(() => {
    const collections = engine.catalog.list(database);
    engine.catalog.drop(collections);
    return collections.length > 0 ? { dropped: database } : {};
  });
}
