import { type Document, Long } from 'bson';
import { RawBatch } from '../../base/raw-batch.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { arrayField, countField } from '../support/fields.ts';

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

export const killCursorsCommand: CommandDefinition = { fields: ['cursors'], run: killCursors };

function killCursors({ command, engine }: CommandContext): Document {
  const ids = arrayField(command, 'cursors');
  const cursorsKilled = ids.filter((id) => engine.cursors.kill(id));
  const killed = new Set(cursorsKilled);
  const cursorsNotFound = ids.filter((id) => !killed.has(id));
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
}
