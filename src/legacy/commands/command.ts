import type { CommandUsage, OptionsOf } from '../../cli/command-words.ts';
import { UsageError } from '../../cli/command-words.ts';
import type { Output } from '../../cli/output.ts';
import type { Config } from '../../config/config.ts';

/** What a command gets when it runs. */
export interface Session {
  config: Config;
  output: Output;
  /** Aborted when the operator stops the command. */
  signal: AbortSignal;
}

/** A command with its options, ready to run. */
export type Task = (session: Session) => Promise<void>;

/** All options, as util.parseArgs takes them. */
export const OPTIONS = {
  from: { type: 'string' },
  files: { type: 'string' },
  map: { type: 'string' },
  timezone: { type: 'string' },
  admins: { type: 'string' },
  doctors: { type: 'string' },
  'dry-run': { type: 'boolean' },
  yes: { type: 'boolean' },
  watch: { type: 'boolean' },
  'accept-removals': { type: 'string' },
  accept: { type: 'boolean' },
  sample: { type: 'string' },
  tokens: { type: 'string' },
  url: { type: 'string' },
  run: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

export type OptionName = keyof typeof OPTIONS;
export type Options = OptionsOf<typeof OPTIONS>;

/** A row of the table of commands. */
export interface Command extends CommandUsage<OptionName> {
  /** @throws UsageError */
  prepare(options: Options): Task;
}

/**
 * One of several words.
 * @throws UsageError for another word
 */
export function choiceOf<T extends string>(
  name: OptionName,
  given: string | undefined,
  choices: readonly T[],
): T | undefined {
  const choice = choices.find((one) => one === given);
  if (given !== undefined && choice === undefined) {
    throw new UsageError(`--${name} must be ${choices.join(' or ')}.`);
  }
  return choice;
}
