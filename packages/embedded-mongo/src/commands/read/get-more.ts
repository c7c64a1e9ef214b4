import { type Document, Long } from 'bson';
import { RawBatch } from '../../base/raw-batch.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { countField } from '../support/fields.ts';

/** The next batch of a cursor. */
export const getMoreCommand: CommandDefinition = { fields: ['collection', 'batchSize'], run: getMore };

async function getMore({ command, database, engine }: CommandContext): Promise<Document> {
  const namespace = `${database}.${command.collection}`;
  const id = command.getMore;
  const cursor = engine.cursors.get(id, namespace);
  const batchSize = countField(command, 'batchSize');
  const nextBatch = new RawBatch(await cursor.next(batchSize || Infinity));
  if (cursor.isExhausted) {
    engine.cursors.kill(id);
  }
  return { cursor: { nextBatch, id: cursor.isExhausted ? Long.ZERO : id, ns: namespace } };
}
