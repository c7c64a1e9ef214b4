import { UsageError } from '../../cli/command-words.ts';
import type { Command } from './command.ts';
import { legacyOptions } from './legacy-options.ts';

export const undoCommand: Command = {
  usage: '--run ID [--yes]',
  summary:
    'takes back what a run of import or sync has added and nobody has changed since. Accounts that were changed, disabled\n' +
    '      or used to log in here stay. What a sync has changed or removed stays so, too',
  options: ['run', 'yes'],
  prepare: (options) => {
    const { run, yes = false } = options;
    if (!run) {
      throw new UsageError('The option --run ID is missing.');
    }
    const given = { legacy: legacyOptions(options), run, isConfirmed: yes };
    return async (session) => {
      const { runUndo } = await import('./runs/run-undo.ts');
      await runUndo(session, given);
    };
  },
};
