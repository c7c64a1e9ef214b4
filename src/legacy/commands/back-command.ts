import type { Command } from './command.ts';
import { legacyOptions } from './legacy-options.ts';

export const backCommand: Command = {
  usage: '[--files DIR] [--dry-run] [--accept] [--yes]',
  summary:
    'writes what is newer here to the legacy service, so that it can be switched on again: changed, removed and new accounts\n' +
    '      and profiles, new documents, revoked and new tokens. Let no caller reach the gateway before. What the legacy\n' +
    '      service cannot take is reported: tokens whose id is no number, disabled accounts, values that its database refuses.\n' +
    '      Ends with 1 if an account was not written, unless --accept. --dry-run executes the statements and rolls them back',
  options: ['files', 'dry-run', 'accept', 'yes'],
  prepare: (options) => {
    const isDryRun = options['dry-run'] ?? false;
    const given = {
      legacy: legacyOptions(options),
      isDryRun,
      isAccepted: options.accept ?? false,
      isConfirmed: options.yes ?? false,
    };
    return async (session) => {
      const { runBack } = await import('./runs/run-back.ts');
      await runBack(session, given);
    };
  },
};
