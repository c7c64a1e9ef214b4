import type { Document } from 'bson';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { arrayField } from '../support/fields.ts';

export const killCursorsCommand: CommandDefinition = { fields: ['cursors'], run: killCursors };

function killCursors({ command, engine }: CommandContext): Document {
  const ids = arrayField(command, 'cursors');
  const cursorsKilled = ids.filter((id) => engine.cursors.kill(id));
  const cursorsNotFound = ids.filter((id) => !cursorsKilled.includes(id));
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
}
