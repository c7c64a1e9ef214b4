import type { Administration } from '../../app/administration.ts';
import type { WhichAccount } from '../../auth/admin/account-directory.ts';
import type { ErasureAdmin } from '../../auth/admin/erasure-admin.ts';
import type { Actor } from '../../auth/caller.ts';
import type { PasswordCheck } from '../../auth/passwords/password-rules.ts';
import type { Reviews } from '../../auth/reviews/reviews.ts';
import { LINE_MAX_CHARACTERS, readLine, trim } from '../../auth/text-rules.ts';
import type { DocumentUrls } from '../../documents/document-urls.ts';
import type { AdministeredAccount } from '../../stores/accounts.ts';
import type { AuditEvent, AuditSearch } from '../../stores/audit-events.ts';
import type { Clock } from '../../system/clock.ts';
import { type Command, type OptionsOf, UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';

/** The parts of the gateway that commands use. The database is open. */
export interface CommandContext extends Administration {
  /** Opens the document store, too: most commands do not need it. */
  openReviews(): Promise<Reviews>;
  /** Opens the document store, too. */
  openErasureAdmin(): Promise<ErasureAdmin>;
  /** Returns the page that sets up an account, for a token; undefined without OPERATOR_API. */
  setUpUrl: ((token: string) => string) | undefined;
  urls: DocumentUrls;
  clock: Clock;
  /** Finds events of the audit trail, the newest last. */
  searchAudit(search: AuditSearch): AsyncIterable<AuditEvent>;
  /**
   * Records in the audit trail that the operator reads personal data, before it is shown. It has no event of its own otherwise.
   * @param what a fixed text
   * @param account undefined for a list
   */
  noteReading(what: string, account?: Pick<AdministeredAccount, 'id' | 'email'>): Promise<void>;
  /** The operator, for the audit trail. */
  operator: Actor;
  /** The least number of characters of a new password. */
  passwordMinCharacters: number;
  /** What else is asked about a new password (PASSWORD_CHECK). */
  passwordCheck: PasswordCheck;
  /** Shows how far a command is that takes seconds. */
  progress(done: number, total: number): void;
  /** The first line of the standard input. */
  readLine(): Promise<string>;
}

/** A command with its options, ready to run. Yields what it prints. */
export type AdminAction = (context: CommandContext) => AsyncIterable<Line>;

/** All options, as util.parseArgs takes them. */
export const OPTIONS = {
  email: { type: 'string' },
  account: { type: 'string' },
  id: { type: 'string' },
  passkey: { type: 'string' },
  all: { type: 'boolean' },
  everyone: { type: 'boolean' },
  by: { type: 'string' },
  now: { type: 'boolean' },
  yes: { type: 'boolean' },
  role: { type: 'string' },
  disabled: { type: 'boolean' },
  closed: { type: 'boolean' },
  'without-two-factor': { type: 'boolean' },
  prefix: { type: 'boolean' },
  proposals: { type: 'boolean' },
  ending: { type: 'boolean' },
  name: { type: 'string' },
  phone: { type: 'string' },
  to: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  status: { type: 'string' },
  revision: { type: 'string' },
  reason: { type: 'string' },
  document: { type: 'string' },
  ground: { type: 'string' },
  act: { type: 'string' },
  outcome: { type: 'string' },
  ip: { type: 'string' },
  mail: { type: 'boolean' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  after: { type: 'string' },
  as: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

export type OptionName = keyof typeof OPTIONS;
export type Options = OptionsOf<typeof OPTIONS>;

/** A command that needs the gateway's database. */
export interface AdminCommand extends Omit<Command<typeof OPTIONS>, 'prepare'> {
  /**
   * Checks the command line before anything is opened.
   * @param operand the word after its name; empty if it is missing
   * @throws UsageError
   */
  prepare(options: Options, operand: string): AdminAction;
}

/** Shows a date to a person. */
export const shown = (date: Date | null | undefined, orElse: string): string =>
  // Another program may have stored a value of another type.
  date instanceof Date ? date.toISOString() : orElse;

/** The options that name one account. `--id` is the same as `--account`. */
export const WHICH_ACCOUNT = {
  usage: '(--email E | --account ID)',
  options: ['email', 'account', 'id'],
} as const;

/**
 * Reads why somebody loses what protects their account.
 * @throws UsageError
 */
export function readReason({ reason = '' }: Pick<Options, 'reason'>): string {
  const line = readLine(reason);
  if (line === undefined) {
    throw new UsageError(`Say why: --reason must be one line of 1 to ${LINE_MAX_CHARACTERS} characters.`);
  }
  return line;
}

/** No e-mail is longer. To compare e-mails takes quadratic time. */
const MAX_EMAIL_CHARACTERS = 1_024;

/**
 * Reads which account a command is about.
 * @throws UsageError unless exactly one is named
 */
export function whichAccount({
  email,
  account,
  id,
}: Pick<Options, 'email' | 'account' | 'id'>): WhichAccount {
  const accountId = account ?? id;
  if (account !== undefined && id !== undefined) {
    throw new UsageError('Here --id and --account are the same: give one of them.');
  }
  if ((email ? 1 : 0) + (accountId ? 1 : 0) !== 1) {
    throw new UsageError('Say which account: either --email E or --account ID.');
  }
  return accountId ? { accountId } : { email: readEmail(email ?? '') };
}

/**
 * Reads an e-mail to look for.
 * @throws UsageError
 */
export function readEmail(email: string): string {
  if (email.length > MAX_EMAIL_CHARACTERS) {
    throw new UsageError('--email is too long for an e-mail.');
  }
  return trim(email);
}
