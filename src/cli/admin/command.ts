import type { Administration } from '../../auth/administration.ts';
import type { AuditSearch } from '../../auth/audit/audit-search.ts';
import type { Actor } from '../../auth/caller.ts';
import type { ResetLinks } from '../../auth/password-changes/reset-links.ts';
import type { AuditEvent } from '../../models/audit-event.model.ts';
import type { CommandUsage, OptionsOf } from '../command-words.ts';
import { UsageError } from '../usage-error.ts';

/** The parts of the gateway that commands use. The database is open. */
export interface CommandContext {
  administration: Administration;
  resetLinks: ResetLinks;
  /** Finds events of the audit trail, the newest last. */
  searchAudit(search: AuditSearch): AsyncIterable<AuditEvent>;
  /** The operator, for the audit trail. */
  operator: Actor;
}

/** A part of the output of a command. */
export interface Line {
  /** For a person: one line or several. */
  text: string | readonly string[];
  /** For a program; undefined if it needs no such line. */
  json?: object;
}

/** A command with its options, ready to run. */
export type Task = (context: CommandContext) => AsyncIterable<Line>;

/** All options, as util.parseArgs takes them. */
export const OPTIONS = {
  email: { type: 'string' },
  id: { type: 'string' },
  all: { type: 'boolean' },
  account: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

export type OptionName = keyof typeof OPTIONS;
export type Options = OptionsOf<typeof OPTIONS>;

export interface Command extends CommandUsage<OptionName> {
  /** @throws UsageError */
  prepare(options: Options): Task;
}

/** A command that takes one word after its name, and needs neither the database nor the settings. */
export interface OfflineCommand extends Omit<Command, 'prepare'> {
  /**
   * @param operand the word; empty if it is missing
   * @throws UsageError
   */
  run(operand: string): AsyncIterable<Line>;
}

/** @throws UsageError if the e-mail of the account is missing */
export function emailOf({ email }: Options): string {
  if (!email) {
    throw new UsageError('The option --email E is missing.');
  }
  return email;
}

/** Shows a date to a person. */
export const shown = (date: Date | null | undefined, orElse: string): string =>
  // Another program may have stored a value of another type.
  date instanceof Date ? date.toISOString() : orElse;
