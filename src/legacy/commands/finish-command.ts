import type { Command } from './command.ts';
import { legacyOptions } from './legacy-options.ts';

export const finishCommand: Command = {
  usage: '[--yes]',
  summary:
    'forgets what import and sync remember of each row, when nobody goes back any more. Then sync, verify, undo and back are\n' +
    '      not possible. Erases the accounts and profiles that the legacy service does not have any more. The reports stay',
  options: ['yes'],
  prepare: (options) => {
    const given = { legacy: legacyOptions(options), isConfirmed: options.yes ?? false };
    return async (session) => {
      const { runFinish } = await import('./runs/run-finish.ts');
      await runFinish(session, given);
    };
  },
};
