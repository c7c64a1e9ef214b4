import { existsSync } from 'node:fs';
import path from 'node:path';
import { findMisspelt, type Misspelt } from './misspelt.ts';
import { decodeUtf8, readSmallFile } from './small-file.ts';

/** Invalid settings. The message has a line with the key of each, but never a value, which may be a secret. */
export class ConfigError extends Error {
  /** @param misspelt variables that may be meant as settings: one may be the setting that is missing */
  constructor(
    readonly problems: readonly string[],
    readonly misspelt: readonly Misspelt[] = [],
  ) {
    const guesses = misspelt.map(({ name, meant }) => `${name} is no setting. Do you mean ${meant}?`);
    const lines = [...problems, ...guesses].map((line) => `  ${line}`);
    super(['These settings cannot be used:', ...lines].join('\n'));
    this.name = 'ConfigError';
  }
}

interface IntegerRange {
  min: number;
  max: number;
  fallback: number;
}

/** Reads settings one by one and collects the problems, so that one error lists them all. */
export class SettingsReader {
  readonly #problems: string[] = [];
  /** The texts of secrets that were read from files, by the key without `_FILE`. */
  readonly #fileSecrets = new Map<string, string>();
  /** The keys of secrets that cannot be used, and whose problem is known. */
  readonly #unusableSecrets = new Set<string>();
  /** The names of all settings that were asked for, set or not. */
  readonly names = new Set<string>();

  /** @param environment texts by key. An empty text counts as not set */
  constructor(private readonly environment: Readonly<Record<string, string | undefined>>) {}

  /** Adds a problem, but only one for a secret that cannot be used: a missing text would be the next. */
  problem(key: string, text: string): void {
    if (this.#unusableSecrets.has(key)) {
      return;
    }
    const source = this.#fileSecrets.has(key) ? ` (it is read from the file of ${key}_FILE)` : '';
    this.#problems.push(`${key} ${text}${source}.`);
  }

  /** @throws ConfigError if there was any problem */
  refuseProblems(): void {
    if (this.#problems.length > 0) {
      throw new ConfigError(this.#problems, this.misspelt);
    }
  }

  /** Variables that are almost the name of a setting, once all settings were read. */
  get misspelt(): Misspelt[] {
    return findMisspelt(this.environment, this.names);
  }

  /** The key of a setting, or its former key if only that is set. */
  keyOf(key: string, formerKey: string): string {
    return this.text(key, '') === '' && this.text(formerKey, '') !== '' ? formerKey : key;
  }

  text(key: string, fallback: string): string {
    this.names.add(key);
    return this.environment[key]?.trim() || fallback;
  }

  /**
   * A secret: the text of the setting, or of the file that `<key>_FILE` names. Blanks and line ends around it do not count.
   * @returns an empty text if neither is set, or if there is a problem
   */
  secret(key: string): string {
    const text = this.#secretText(key);
    if (!/[\r\n]/.test(text)) {
      return text;
    }
    this.problem(key, 'must be a single line');
    this.#unusableSecrets.add(key);
    return '';
  }

  /** Secrets of one line each. Empty lines do not count. */
  secretLines(key: string): string[] {
    const lines = this.#secretText(key).split(/[\r\n]+/);
    return lines.map((line) => line.trim()).filter((line) => line !== '');
  }

  /** Secrets separated by commas or line ends. */
  secretList(key: string): string[] {
    return this.secretLines(key).flatMap((line) => line.split(',').map((entry) => entry.trim()));
  }

  /** The texts of the secrets that were read from files so far, by the key without `_FILE`. */
  get fileSecrets(): ReadonlyMap<string, string> {
    return this.#fileSecrets;
  }

  /** Reads a file only once, so that a problem is reported once. */
  #secretText(key: string): string {
    const fileKey = `${key}_FILE`;
    const file = this.text(fileKey, '');
    if (file === '') {
      return this.text(key, '');
    }
    if (!this.#fileSecrets.has(key) && !this.#unusableSecrets.has(key)) {
      const isTwice = this.text(key, '') !== '';
      const read = isTwice
        ? { problem: `must not be set beside ${key}` }
        : readSecretFile(file, this.text('CREDENTIALS_DIRECTORY', ''));
      if ('problem' in read) {
        this.problem(fileKey, read.problem);
        this.#unusableSecrets.add(key);
      } else {
        this.#fileSecrets.set(key, read.text);
      }
    }
    return this.#fileSecrets.get(key) ?? '';
  }

  /** Texts separated by commas, without the blanks around them. */
  list(key: string): string[] {
    const text = this.text(key, '');
    return text === '' ? [] : text.split(',').map((entry) => entry.trim());
  }

  matching(key: string, shape: RegExp, description: string, fallback: string): string {
    const value = this.text(key, fallback);
    if (value === fallback || shape.test(value)) {
      return value;
    }
    this.problem(key, `must be ${description}`);
    return fallback;
  }

  integer(key: string, { min, max, fallback }: IntegerRange, orElse = ''): number {
    const text = this.text(key, String(fallback));
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) {
      return value;
    }
    this.problem(key, `must be a whole number from ${min} to ${max}${orElse}`);
    return fallback;
  }

  /** Like {@link integer}, but undefined for `off`. */
  integerOrOff(
    key: string,
    { min, max, fallback }: Omit<IntegerRange, 'fallback'> & { fallback: number | 'off' },
  ): number | undefined {
    if (this.text(key, String(fallback)) === 'off') {
      return undefined;
    }
    return this.integer(key, { min, max, fallback: Number(fallback) }, ', or off');
  }

  choice<T extends string>(key: string, choices: readonly T[], fallback: T): T {
    const value = this.text(key, fallback);
    const choice = choices.find((one) => one === value);
    if (choice === undefined) {
      this.problem(key, `must be one of ${choices.filter(Boolean).join(', ')}`);
    }
    return choice ?? fallback;
  }

  toggle(key: string, fallback: boolean): boolean {
    return this.choice(key, ['on', 'off'], fallback ? 'on' : 'off') === 'on';
  }

  /**
   * An absolute http(s) address without a query, normalized as in browsers, and without slashes at its end. An empty `?` or
   * `#` is refused, too: a path that is appended later would be in the query or fragment.
   */
  httpUrl(key: string): string | undefined {
    const text = this.text(key, '');
    if (text === '') {
      return undefined;
    }
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = /^https?:\/\/[^?#\s]+$/i.test(text);
    if (url && isPlain && !url.username && !url.password) {
      return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
    }
    this.problem(key, 'must be an absolute http or https address without query');
    return undefined;
  }
}

/** What a file contains, or why it cannot be used. */
type SecretFile = { text: string } | { problem: string };

/**
 * Reads a small text file, without the blanks and line ends around it. It never waits: a pipe without a writer is refused, not
 * opened.
 * @param folder of a name that is no path: systemd's folder of credentials, or empty for the working directory
 * @returns a problem that continues a sentence after the name of the setting. It never contains the text of the file, nor a
 *   name that may be the secret itself
 */
function readSecretFile(file: string, folder: string): SecretFile {
  const content = contentOf(path.resolve(folder, file));
  const hint = CREDENTIAL.test(file) ? '. Write only its name: each unit has a folder of its own' : '';
  return 'text' in content
    ? content
    : { problem: `names ${nameForPeople(file)}, which ${content.problem}${hint}` };
}

/** A credential of a systemd unit. A command of the operators runs as another unit. */
const CREDENTIAL = /^\/run\/credentials\//;

/** @returns a problem without the name of the file */
function contentOf(file: string): SecretFile {
  const bytes = readSmallFile(file);
  return typeof bytes === 'string' ? { problem: bytes } : textOf(bytes);
}

/** An environment variable cannot contain NUL, and so a file must not. */
function textOf(bytes: Buffer): SecretFile {
  const text = decodeUtf8(bytes)?.trim();
  if (text === undefined || text.includes('\0')) {
    return { problem: 'is not UTF-8 text' };
  }
  return text === '' ? { problem: 'is empty' } : { text };
}

/**
 * Somebody may have set `KEY_FILE` to the secret itself. So a file is only named by a path through a folder that exists; a
 * secret is no such path.
 */
function nameForPeople(file: string): string {
  const folder = path.dirname(file);
  const isPath = folder !== '.' && folder !== path.parse(file).root && existsSync(folder);
  return isPath ? `the file ${JSON.stringify(file)}` : 'a file';
}
