import { helpOf } from '../command-words.ts';
import { commandsOf, GROUPS } from './commands.ts';

const USAGE = 'usage: npm run --silent admin -- <command> [--as NAME] [--json]\n';

const NOTES = `
  --account ID is the id of an account, --email E its e-mail. Where no other id is meant, --id is
    the same as --account.
  --as NAME is who you are, for the audit trail, which keeps the system's user as well. Without it
    you are the system's user.
  --limit N prints at most N entries (100 without it; audit prints all), --after ID those after an
    entry. A last line says how to go on.
  --json prints one JSON object per line: one for each entry, or one for the result of the command.
  Exit codes: 0 success, also if there was nothing to do; 1 failed, not found or not
    confirmed; 2 invalid command line.
  All but clients new read the gateway's settings, and may run at the same time as the gateway.
  <command> --help prints the commands of one group.
`;

/**
 * The help text.
 * @param words of the command line; if the first is a group of commands, only these are shown
 */
export function helpAbout([group = '']: readonly string[]): string {
  const groups = GROUPS.includes(group) ? [group] : GROUPS;
  return `${USAGE}${groups.map((one) => `\n${helpOf(commandsOf(one))}`).join('')}${NOTES}`;
}
