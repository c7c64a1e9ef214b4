import { nearest } from '../nearest.ts';
import { disableAccount, enableAccount, setEmail } from './accounts/change-commands.ts';
import { createAccount } from './accounts/create-command.ts';
import { countAccounts, listAccounts, searchAccounts, showAccount } from './accounts/find-commands.ts';
import { searchAudit } from './audit-command.ts';
import { newClient } from './client-command.ts';
import type { Command, OfflineCommand } from './command.ts';
import { approveDoctor, rejectDoctor, suspendDoctor } from './doctors/decide-commands.ts';
import { listDoctors, showDoctor } from './doctors/find-commands.ts';
import { eraseAccount, exportAccount } from './leaving-commands.ts';
import { resetLink } from './reset-link-command.ts';
import { listTokens, revokeTokens } from './token-commands.ts';

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
  ['audit', searchAudit],
  ['clients new', newClient],
]);

const groupOf = (name: string): string => name.split(' ')[0] ?? '';

/** The commands of a group. */
export const commandsOf = (group: string): [string, Command | OfflineCommand][] =>
  [...COMMANDS].filter(([name]) => groupOf(name) === group);

/** The groups in the order of the help. */
export const GROUPS: readonly string[] = [...new Set([...COMMANDS.keys()].map(groupOf))];

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
