/** Invalid settings. The message has a line with the key of each, but never a value, which may be a secret. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(['These settings cannot be used:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
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

  /** @param environment texts by key. An empty text counts as not set */
  constructor(private readonly environment: Readonly<Record<string, string | undefined>>) {}

  /** Adds a problem. */
  problem(key: string, text: string): void {
    this.#problems.push(`${key} ${text}.`);
  }

  /** @throws ConfigError if there was any problem */
  refuseProblems(): void {
    if (this.#problems.length > 0) {
      throw new ConfigError(this.#problems);
    }
  }

  /** The key of a setting, or its former key if only that is set. */
  keyOf(key: string, formerKey: string): string {
    return this.text(key, '') === '' && this.text(formerKey, '') !== '' ? formerKey : key;
  }

  text(key: string, fallback: string): string {
    return this.environment[key]?.trim() || fallback;
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
