import { helpOf, nearest } from '../command-words.ts';
import { searchAudit } from './audit-command.ts';
import {
  createAccount,
  disableAccount,
  enableAccount,
  resetLink,
  setEmail,
  verifyEmail,
} from './change-accounts.ts';
import { newClient } from './client-command.ts';
import type { Command, OfflineCommand } from './command.ts';
import { approveDoctor, listDoctors, rejectDoctor, showDoctor, suspendDoctor } from './doctor-commands.ts';
import { countAccounts, listAccounts, searchAccounts, showAccount } from './find-accounts.ts';
import { eraseAccount, exportAccount } from './leaving-commands.ts';
import { listPasskeys, removePasskey } from './passkey-commands.ts';
import { listTokens, revokeTokens } from './token-commands.ts';
import { removeTwoFactor, showTwoFactor } from './two-factor-commands.ts';

/** All commands by name. The first word is their group. */
export const COMMANDS: ReadonlyMap<string, Command | OfflineCommand> = new Map<
  string,
  Command | OfflineCommand
>([
  ['accounts list', listAccounts],
  ['accounts search', searchAccounts],
  ['accounts count', countAccounts],
  ['accounts show', showAccount],
  ['accounts create', createAccount],
  ['accounts set-email', setEmail],
  ['accounts verify-email', verifyEmail],
  ['accounts disable', disableAccount],
  ['accounts enable', enableAccount],
  ['accounts reset-link', resetLink],
  ['accounts export', exportAccount],
  ['accounts erase', eraseAccount],
  ['doctors list', listDoctors],
  ['doctors show', showDoctor],
  ['doctors approve', approveDoctor],
  ['doctors reject', rejectDoctor],
  ['doctors suspend', suspendDoctor],
  ['tokens list', listTokens],
  ['tokens revoke', revokeTokens],
  ['passkeys list', listPasskeys],
  ['passkeys remove', removePasskey],
  ['two-factor show', showTwoFactor],
  ['two-factor remove', removeTwoFactor],
  ['audit', searchAudit],
  ['clients new', newClient],
]);

const groupOf = (name: string): string => name.split(' ')[0] ?? '';

/** The commands of a group. */
const commandsOf = (group: string): [string, Command | OfflineCommand][] =>
  [...COMMANDS].filter(([name]) => groupOf(name) === group);

/** The groups in the order of the help. */
const GROUPS: readonly string[] = [...new Set([...COMMANDS.keys()].map(groupOf))];

/** What to say about words that are no command. It repeats none of them: one may be a secret in the wrong place. */
export function noSuchCommand(words: readonly string[]): string {
  const meant = nearest(words.slice(0, 2).join(' '), COMMANDS.keys()) ?? nearest(words[0] ?? '', GROUPS);
  if (meant !== undefined && meant !== words.slice(0, 2).join(' ') && meant !== words[0]) {
    return `There is no such command. Did you mean ${meant}?`;
  }
  const names = commandsOf(words[0] ?? '').map(([name]) => name);
  if (words.length > 2 && names.includes(words.slice(0, 2).join(' '))) {
    return 'There are too many words. An account is --email E or --account ID; put a text with blanks in quotes.';
  }
  return `There is no such command.${names.length > 1 ? ` There are ${names.join(', ')}.` : ''}`;
}

const USAGE = 'usage: npm run --silent admin -- <command> [--as NAME] [--json]\n';

const NOTES = `
  --account ID or --email E selects an account. --id means the same as --account, except with
    tokens revoke.
  --as NAME is your name in the audit trail, which also records the system's user. Default: the
    system's user.
  --limit N prints at most N entries. Default: 100; audit prints all.
  --after ID continues a list after that entry. The last line of a list says how.
  --yes confirms the command. Without it, the command asks.
  --json prints one JSON object per line: one for each entry, or one for the result.
  Exit codes: 0 success, also if there was nothing to do; 1 failed, not found or not
    confirmed; 2 invalid command line.
  All commands but clients new read the gateway's settings, and can run beside the gateway.
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
