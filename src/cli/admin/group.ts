import { readConfig } from '../../config/config.ts';
import {
  type Command,
  type CommandGroup,
  type ExitCode,
  type Invocation,
  runnerOf,
  UsageError,
} from '../command-line.ts';
import { Output } from '../output.ts';
import { isPrintable, type Line, printAll } from '../print.ts';
import { searchAudit } from './audit-command.ts';
import {
  createAccount,
  disableAccount,
  enableAccount,
  resetLink,
  setEmail,
  setName,
  setPhone,
  setUpLink,
  unlockAccount,
  verifyEmail,
} from './change-accounts.ts';
import { newClient } from './client-command.ts';
import { type AdminAction, type AdminCommand, OPTIONS } from './command.ts';
import {
  approveDoctor,
  listDoctors,
  rejectDoctor,
  setEnd,
  showDoctor,
  suspendDoctor,
} from './doctor-commands.ts';
import { listEvents, listWebhooks, testWebhook } from './event-commands.ts';
import { countAccounts, listAccounts, searchAccounts, showAccount } from './find-accounts.ts';
import { invite, listInvitations, renewInvitation, withdrawInvitation } from './invitation-commands.ts';
import { listMails, retryMails } from './mail-commands.ts';
import { listPasskeys, removePasskey } from './passkey-commands.ts';
import { eraseAccount, exportAccount } from './privacy-commands.ts';
import { listTokens, revokeTokens } from './token-commands.ts';
import { removeTwoFactor, showTwoFactor } from './two-factor-commands.ts';

/** Reads the settings, opens the gateway's database, and prints what a command yields. */
const runTask = async (
  task: AdminAction,
  as: string | undefined,
  invocation: Invocation,
): Promise<ExitCode> => {
  const { environment, stdin, stdout, stderr, isJson } = invocation;
  const output = new Output(invocation, isJson);
  const config = readConfig(environment());
  // Loaded only here, so that the help does not wait for the driver of the database.
  const { openContext } = await import('./open-context.ts');
  const { context, close } = await openContext(config, { as, stdin, log: stderr, output });
  await printAll(withoutProgress(task(context), output), isJson, stdout).finally(close);
  return 0;
};

/** A terminal shows the results and the progress in the same place. */
async function* withoutProgress(lines: AsyncIterable<Line>, output: Output): AsyncGenerator<Line> {
  try {
    for await (const line of lines) {
      output.hideProgress();
      yield line;
    }
  } finally {
    output.hideProgress();
  }
}

const withContext = (command: AdminCommand): Command<typeof OPTIONS> => ({
  ...command,
  prepare(values, operand) {
    const as = values.as === undefined ? undefined : readName(values.as);
    const task = command.prepare(values, operand);
    return (invocation) => runTask(task, as, invocation);
  },
});

const MAX_NAME_CHARACTERS = 64;

/**
 * Reads who the operator is.
 * @throws UsageError unless the audit trail can show it
 */
function readName(as: string): string {
  const name = as.length > 2 * MAX_NAME_CHARACTERS ? '' : as.trim();
  const characters = [...name].length;
  if (characters < 1 || characters > MAX_NAME_CHARACTERS || !isPrintable(name)) {
    throw new UsageError(`--as must be a name of 1 to ${MAX_NAME_CHARACTERS} printable characters.`);
  }
  return name;
}

const COMMANDS: readonly (readonly [string, AdminCommand])[] = [
  ['accounts list', listAccounts],
  ['accounts search', searchAccounts],
  ['accounts count', countAccounts],
  ['accounts show', showAccount],
  ['accounts create', createAccount],
  ['accounts set-email', setEmail],
  ['accounts set-name', setName],
  ['accounts set-phone', setPhone],
  ['accounts verify-email', verifyEmail],
  ['accounts disable', disableAccount],
  ['accounts enable', enableAccount],
  ['accounts unlock', unlockAccount],
  ['accounts reset-link', resetLink],
  ['accounts set-up-link', setUpLink],
  ['accounts export', exportAccount],
  ['accounts erase', eraseAccount],
  ['doctors list', listDoctors],
  ['doctors show', showDoctor],
  ['doctors approve', approveDoctor],
  ['doctors reject', rejectDoctor],
  ['doctors suspend', suspendDoctor],
  ['doctors set-end', setEnd],
  ['invitations list', listInvitations],
  ['invitations create', invite],
  ['invitations renew', renewInvitation],
  ['invitations withdraw', withdrawInvitation],
  ['mails list', listMails],
  ['mails retry', retryMails],
  ['tokens list', listTokens],
  ['tokens revoke', revokeTokens],
  ['passkeys list', listPasskeys],
  ['passkeys remove', removePasskey],
  ['two-factor show', showTwoFactor],
  ['two-factor remove', removeTwoFactor],
  ['events list', listEvents],
  ['events webhooks', listWebhooks],
  ['events test', testWebhook],
  ['audit', searchAudit],
];

const NOTES = `  --account ID or --email E selects an account. --id means the same as --account, except with
    tokens revoke.
  --as NAME is your name in the audit trail, which also records the system's user. Default: who
    called sudo, or the system's user.
  --limit N prints at most N entries. Default: 100; audit prints all.
  --after ID continues a list after that entry. The last line of a list says how.
  --yes confirms the command. Without it, the command asks.
  --json prints one JSON object per line: one for each entry, or one for the result.
  Exit codes: 0 success, also if there was nothing to do; 1 failed, not found or not
    confirmed; 2 invalid command line.
  All commands but clients new read the gateway's settings, and can run beside the gateway.
  <command> --help describes one command.
`;

/** The operators' commands about accounts, doctors, tokens and the audit trail. The first word is what they are about. */
export const ADMIN: CommandGroup<typeof OPTIONS> = {
  name: 'auth-gateway admin',
  options: OPTIONS,
  forAll: ['as', 'json', 'help'],
  commands: new Map([
    ...COMMANDS.map(([name, command]) => [name, withContext(command)] as const),
    // It needs neither the database nor the settings.
    ['clients new', newClient],
  ]),
  notes: NOTES,
  tooManyWords: 'An account is --email E or --account ID; put a text with blanks in quotes.',
};

export const run = runnerOf(ADMIN);
