import { UsageError } from '../../cli/command-words.ts';
import type { Command } from './command.ts';
import { legacyOptions } from './legacy-options.ts';

export const syncCommand: Command = {
  usage: '[--files DIR] [--watch] [--accept-removals N]',
  summary:
    'brings over what was added, changed or deleted since the import. What was changed here wins, and is reported.\n' +
    '      --watch does so again and again until Ctrl-C.\n' +
    '      If more than nine rows and a tenth of a kind are gone there, it changes nothing, unless --accept-removals allows as many',
  options: ['files', 'watch', 'accept-removals'],
  prepare: (options) => {
    const given = {
      legacy: legacyOptions(options),
      isWatching: options.watch ?? false,
      acceptedRemovals: acceptedRemovals(options['accept-removals']),
    };
    return async (session) => {
      const { runSync } = await import('./runs/run-sync.ts');
      await runSync(session, given);
    };
  },
};

/** @throws UsageError */
function acceptedRemovals(given: string | undefined): number | undefined {
  const count = given === undefined ? undefined : Number(given);
  if (given !== undefined && !/^\d{1,9}$/.test(given)) {
    throw new UsageError('--accept-removals must be a whole number.');
  }
  return count;
}
