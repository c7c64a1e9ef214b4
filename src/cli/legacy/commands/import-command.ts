import type { Command } from './command.ts';
import { choiceOf } from './command.ts';
import { legacyOptions } from './legacy-options.ts';

export const importCommand: Command = {
  usage: '[--files DIR] [--admins skip|refuse] [--dry-run] [--yes]',
  summary: 'takes over accounts, profiles, files and tokens; the same command goes on after an interruption',
  options: ['files', 'admins', 'dry-run', 'yes'],
  prepare: (options) => {
    const given = {
      legacy: legacyOptions(options),
      admins: choiceOf('admins', options.admins, ['skip', 'refuse']) ?? 'refuse',
      isDryRun: options['dry-run'] ?? false,
      isConfirmed: options.yes ?? false,
    };
    return async (session) => {
      // Loaded only here, so that the help does not wait for the drivers of the databases.
      const { runImport } = await import('../runs/run-import.ts');
      await runImport(session, given);
    };
  },
};
