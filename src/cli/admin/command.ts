import type { Actor } from '../../auth/caller.ts';
import type { LeavingAdmin } from '../../auth/leaving/leaving-admin.ts';
import type { AccountAdmin } from '../../auth/operators/account-admin.ts';
import type { AccountDirectory } from '../../auth/operators/account-directory.ts';
import type { TokenAdmin } from '../../auth/operators/token-admin.ts';
import type { ResetLinks } from '../../auth/password-changes/reset-links.ts';
import type { PasswordCheck } from '../../auth/passwords/password-check.ts';
import type { Reviews } from '../../auth/reviews/reviews.ts';
import type { DocumentUrls } from '../../documents/document-urls.ts';
import type { KnownAccount } from '../../stores/accounts.ts';
import type { AuditEvent, AuditSearch } from '../../stores/audit-events.ts';
import type { CommandUsage, OptionsOf } from '../command-words.ts';
import type { Line } from '../print.ts';

/** The parts of the gateway that commands use. The database is open. */
export interface CommandContext {
  directory: AccountDirectory;
  accounts: AccountAdmin;
  tokens: TokenAdmin;
  resetLinks: ResetLinks;
  /** Opens the document store, too: most commands do not need it. */
  openReviews(): Promise<Reviews>;
  /** Opens the document store, too. */
  openLeaving(): Promise<LeavingAdmin>;
  urls: DocumentUrls;
  /** Finds events of the audit trail, the newest last. */
  searchAudit(search: AuditSearch): AsyncIterable<AuditEvent>;
  /**
   * Records in the audit trail that the operator reads personal data, before it is shown. It has no event of its own otherwise.
   * @param what a fixed text
   * @param account undefined for a list
   */
  noteReading(what: string, account?: Pick<KnownAccount, 'id' | 'email'>): Promise<void>;
  /** The operator, for the audit trail. */
  operator: Actor;
  /** The least number of characters of a new password. */
  passwordMinCharacters: number;
  /** What else is asked about a new password (PASSWORD_CHECK). */
  passwordCheck: PasswordCheck;
  /** The first line of the standard input. */
  readLine(): Promise<string>;
}

/** A command with its options, ready to run. */
export type Task = (context: CommandContext) => AsyncIterable<Line>;

/** All options, as util.parseArgs takes them. */
export const OPTIONS = {
  email: { type: 'string' },
  account: { type: 'string' },
  id: { type: 'string' },
  all: { type: 'boolean' },
  everyone: { type: 'boolean' },
  by: { type: 'string' },
  now: { type: 'boolean' },
  yes: { type: 'boolean' },
  role: { type: 'string' },
  disabled: { type: 'boolean' },
  prefix: { type: 'boolean' },
  name: { type: 'string' },
  phone: { type: 'string' },
  to: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  status: { type: 'string' },
  revision: { type: 'string' },
  reason: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string' },
  after: { type: 'string' },
  as: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

export type OptionName = keyof typeof OPTIONS;
export type Options = OptionsOf<typeof OPTIONS>;

export interface Command extends CommandUsage<OptionName> {
  /** The one word that it takes after its name, as the help calls it. */
  operand?: string;
  /**
   * @param operand the word after its name; empty if it is missing
   * @throws UsageError
   */
  prepare(options: Options, operand: string): Task;
}

/** A command that needs neither the database nor the settings. */
export interface OfflineCommand extends Omit<Command, 'prepare'> {
  /**
   * @param operand the word after its name; empty if it is missing
   * @throws UsageError
   */
  run(operand: string): AsyncIterable<Line>;
}

/** Shows a date to a person. */
export const shown = (date: Date | null | undefined, orElse: string): string =>
  // Another program may have stored a value of another type.
  date instanceof Date ? date.toISOString() : orElse;
