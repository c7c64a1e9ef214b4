import type { Command } from './command.ts';
import { choiceOf } from './command.ts';
import { legacyOptions } from './legacy-options.ts';

export const importCommand: Command = {
  usage: '[--files DIR] [--admins skip|refuse|reviewer] [--doctors pending|verified] [--dry-run] [--yes]',
  summary:
    'takes over accounts, profiles, files and tokens; the same command goes on after an interruption.\n' +
    '      --admins reviewer makes reviewers of administrators, who decide about doctors; their tokens stay there.\n' +
    '      --doctors verified, if the legacy service has looked at its doctors (default: pending, reviewers here have to)',
  options: ['files', 'admins', 'doctors', 'dry-run', 'yes'],
  prepare: (options) => {
    const given = {
      legacy: legacyOptions(options),
      admins: choiceOf('admins', options.admins, ['skip', 'refuse', 'reviewer']) ?? 'refuse',
      doctors: choiceOf('doctors', options.doctors, ['pending', 'verified']) ?? 'pending',
      isDryRun: options['dry-run'] ?? false,
      isConfirmed: options.yes ?? false,
    };
    return async (session) => {
      // Loaded only here, so that the help does not wait for the drivers of the databases.
      const { runImport } = await import('./runs/run-import.ts');
      await runImport(session, given);
    };
  },
};
