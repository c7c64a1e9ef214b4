import { isEmailAddress } from '../../auth/email-address.ts';
import { parseWords } from '../command-words.ts';
import { UsageError } from '../usage-error.ts';

const OPTIONS = {
  'mail-to': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

export const HELP = `usage: npm run --silent doctor -- [--mail-to ADDRESS] [--json]

  Checks whether this installation is sound before it takes traffic: settings, Node.js, disk, database, documents, mail, and
  the way from BASE_URL to the gateway. It reads the gateway's settings, leaves nothing behind, and may run beside the gateway.
  Run it as the user of the gateway, on its machine.

  --mail-to ADDRESS sends a test mail. Without it, the mail server is only asked if it lets the gateway in.
  --json prints one JSON object per line: one for each finding, and one for the result.
  Exit codes: 0 sound; 1 there are warnings; 2 it must not take traffic, or the command line is wrong.
`;

/** A parsed command line. */
export interface Request {
  mailTo: string | undefined;
  isJson: boolean;
  isHelp: boolean;
}

/**
 * Parses a command line.
 * @param words the arguments after the program's name
 * @throws UsageError
 */
export function readCommandLine(words: string[]): Request {
  const { values, positionals } = parseWords(words, OPTIONS);
  if (positionals.length > 0) {
    throw new UsageError('There are only options.');
  }
  const { 'mail-to': mailTo, json: isJson = false, help: isHelp = false } = values;
  if (mailTo !== undefined && !isEmailAddress(mailTo)) {
    throw new UsageError('--mail-to must be an e-mail address.');
  }
  return { mailTo, isJson, isHelp };
}
