import type { Command } from './command.ts';
import { legacyOptions } from './legacy-options.ts';

export const syncCommand: Command = {
  usage: '[--files DIR] [--watch]',
  summary:
    'brings over what was added, changed or deleted since the import. What was changed here wins, and is reported.\n' +
    '      --watch does so again and again until Ctrl-C',
  options: ['files', 'watch'],
  prepare: (options) => {
    const given = { legacy: legacyOptions(options), isWatching: options.watch ?? false };
    return async (session) => {
      const { runSync } = await import('../runs/run-sync.ts');
      await runSync(session, given);
    };
  },
};
