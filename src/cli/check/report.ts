import type { Config } from '../../config/config.ts';
import { UNPRINTABLE } from '../../system/output-encoding.ts';
import type { ExitCode } from '../command-line.ts';
import type { Line } from '../print.ts';
import type { Finding, Level, NamedFinding } from './check.ts';

const LEVEL_WIDTH = 9;
const CHECK_WIDTH = 11;
const TEXT_WIDTH = 80;

const LABELS: Readonly<Record<Level, string>> = {
  ok: 'ok',
  note: 'note',
  warning: 'WARNING',
  error: 'ERROR',
};

/** A row of the table for people, with what to do in lines of its own; an object for programs. */
export function presentFinding(finding: NamedFinding): Line {
  const { level, check, text, todo } = finding;
  const first = `${LABELS[level].padEnd(LEVEL_WIDTH)}${check.padEnd(CHECK_WIDTH)}`;
  const blank = ' '.repeat(first.length);
  const lines = [
    ...wrapped(text).map((line) => `${blank}${line}`),
    ...(todo === undefined
      ? []
      : wrapped(todo).map((line, index) => `${blank}${index === 0 ? '-> ' : '   '}${line}`)),
  ];
  return { text: [`${first}${lines[0]?.slice(first.length)}`, ...lines.slice(1)], json: finding };
}

const RESULTS: Readonly<Record<ExitCode, string>> = {
  0: 'This installation is ready for traffic.',
  1: 'This installation can take traffic, but read the warnings.',
  2: 'Fix the errors before sending traffic to this installation.',
};

/** The last line. */
export function presentResult({ exitCode, counts }: Verdict): Line {
  const text = `${RESULTS[exitCode]} Errors: ${counts.error}, warnings: ${counts.warning}.`;
  return { text: ['', text], json: { result: RESULTS[exitCode], exitCode, counts } };
}

/** Lines between words. A message of a server may have line breaks. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replace(UNPRINTABLE, ' ').split(/ +/)) {
    if (line !== '' && line.length + 1 + word.length > TEXT_WIDTH) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The sum of all findings. */
export class Verdict {
  readonly #counts: Record<Level, number> = { ok: 0, note: 0, warning: 0, error: 0 };

  add({ level }: Finding): void {
    this.#counts[level] += 1;
  }

  /** How many findings there are of each level. */
  get counts(): Readonly<Record<Level, number>> {
    return this.#counts;
  }

  /** 0 sound, 1 with warnings, 2 with errors. */
  get exitCode(): ExitCode {
    if (this.#counts.error > 0) {
      return 2;
    }
    return this.#counts.warning > 0 ? 1 : 0;
  }
}

/** Shorter ones would blank out common words. The texts of findings never contain a secret on purpose. */
const MIN_CHARACTERS = 4;

/**
 * The last line of defence: errors of drivers and servers may repeat a password.
 * @returns a function that replaces all secrets of the settings in a text
 */
export function hidingSecrets(config: Config | undefined): (text: string) => string {
  const secrets = (config ? secretsOf(config) : [])
    .filter((secret) => secret.length >= MIN_CHARACTERS)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[secret]'), text);
}

function secretsOf({ database, mail, s3, documentSigning, legacy, fileSecrets }: Config): string[] {
  return [
    ...(database.kind === 'mongodb' ? secretsOfUrl(database.uri) : []),
    ...secretsOfUrl(legacy.databaseUrl ?? ''),
    ...inBothForms(mail?.smtp.credentials?.pass),
    s3?.credentials?.secretAccessKey,
    documentSigning?.secret,
    ...(documentSigning?.otherSecrets ?? []),
    ...fileSecrets.values(),
  ].filter((secret) => secret !== undefined);
}

/** The password of an address, as it is written and as it is sent. */
function secretsOfUrl(url: string): string[] {
  const password = /^[^/]*\/\/[^/@]*?:([^@]*)@/.exec(url)?.[1];
  return password === undefined ? [] : [password, ...inBothForms(decoded(password))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const inBothForms = (secret: string | undefined): string[] =>
  secret === undefined ? [] : [secret, encodeURIComponent(secret)];
