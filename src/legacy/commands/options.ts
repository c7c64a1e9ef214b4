import { statSync } from 'node:fs';
import path from 'node:path';
import { type OptionsOf, UsageError } from '../../cli/command-line.ts';
import type { Output } from '../../cli/output.ts';
import type { Config } from '../../config/config.ts';
import { timeReader } from '../source/legacy-time.ts';

/** What a command gets when it runs. */
export interface LegacyInvocation {
  config: Config;
  output: Output;
  /** Aborted when the operator stops the command. */
  signal: AbortSignal;
}

/** A command with its options, ready to run. */
export type LegacyAction = (invocation: LegacyInvocation) => Promise<void>;

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
  'without-second-factors': { type: 'boolean' },
  sample: { type: 'string' },
  tokens: { type: 'string' },
  url: { type: 'string' },
  run: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

export type LegacyOptionName = keyof typeof OPTIONS;
type Options = OptionsOf<typeof OPTIONS>;

/**
 * Reads the options of one command.
 * @throws UsageError
 */
export type PrepareAction = (options: Options) => LegacyAction;

/**
 * One of several words.
 * @throws UsageError for another word
 */
export function choiceOf<T extends string>(
  name: LegacyOptionName,
  given: string | undefined,
  choices: readonly T[],
): T | undefined {
  const choice = choices.find((one) => one === given);
  if (given !== undefined && choice === undefined) {
    throw new UsageError(`--${name} must be ${choices.join(' or ')}.`);
  }
  return choice;
}

/** The legacy service, as the command line names it. */
export interface LegacyOptions {
  from: string | undefined;
  filesDir: string | undefined;
  mapFile: string | undefined;
  timeZone: string;
}

/** @throws UsageError */
export function legacyOptions({ from, files, map, timezone = 'UTC' }: Options): LegacyOptions {
  const isZone = attempt(() => timeReader(timezone)) !== undefined;
  if (!isZone) {
    throw new UsageError('--timezone must be a name such as Europe/Berlin, or an offset such as +02:00.');
  }
  if (from !== undefined && !isDatabaseUrl(from)) {
    // Without the address: it may contain a password.
    throw new UsageError('--from must be an address such as mysql://user:password@host:3306/database.');
  }
  const filesDir = files === undefined ? undefined : path.resolve(files);
  if (filesDir !== undefined && !statSync(filesDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--files must be a folder: ${filesDir}`);
  }
  return { from, filesDir, mapFile: map, timeZone: timezone };
}

/** True for the address of a MySQL database with the name of a database. */
export function isDatabaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && ['mysql:', 'mariadb:'].includes(url.protocol) && /^\/[^/]+$/.test(url.pathname);
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
