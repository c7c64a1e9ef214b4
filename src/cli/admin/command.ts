import type { Administration } from '../../auth/administration.ts';
import type { AuditSearch } from '../../auth/audit/audit-search.ts';
import type { AuditedCaller } from '../../auth/audit/audit-trail.ts';
import type { AuditEvent } from '../../models/audit-event.model.ts';

/** Where commands work: an open database, and what can be done there. */
export interface Office {
  administration: Administration;
  /** Finds events of the audit trail, the newest last. */
  searchAudit(search: AuditSearch): AsyncIterable<AuditEvent>;
  /** As whom the audit trail knows the operator. */
  caller: AuditedCaller;
}

/** What a command has to say. */
export interface Line {
  /** For a person, in one line or several. */
  text: string | readonly string[];
  /** For a program; undefined where it learns nothing by it. */
  json?: object;
}

/** What is left to do once the command line is understood. */
export type Task = (office: Office) => AsyncIterable<Line>;

/** All options that there are, as util.parseArgs takes them. */
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
export type Options = {
  [name in OptionName]?: ((typeof OPTIONS)[name]['type'] extends 'string' ? string : boolean) | undefined;
};

export interface Command {
  /** Its options, as the help shows them. */
  usage: string;
  summary: string;
  options: readonly OptionName[];
  /** @throws UsageError */
  prepare(options: Options): Task;
}

/** A command line that cannot be understood. */
export class UsageError extends Error {}

/** The e-mail that most commands are about. */
export function emailOf({ email }: Options): string {
  if (!email) throw new UsageError('Say whose account it is: --email E.');
  return email;
}

/** A date for a person. */
export const shown = (date: Date | null | undefined, orElse: string): string =>
  // Another program may have stored something else.
  date instanceof Date ? date.toISOString() : orElse;
