/**
 * A place for the access token. `localStorage`, `sessionStorage` and React Native's AsyncStorage fit as they are. The functions
 * may answer at once or by a promise. If they throw or reject, the client continues with the token in memory.
 */
export interface TokenStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** Where the token is kept: in memory only, in the browser's `localStorage`, or in a storage of the program. */
export type StorageOption = 'memory' | 'localStorage' | TokenStorage;

/** How long a storage may take. After that, the client continues without it, so that no call waits for ever. */
const STORAGE_TIMEOUT_MILLIS = 5_000;

/** The parts of a browser that are used here, so that the package does not need its types. */
interface Page {
  document?: unknown;
  localStorage?: TokenStorage;
  addEventListener?(
    type: string,
    listener: (event: { key?: string | null; persisted?: boolean }) => void,
  ): void;
}

/**
 * The `localStorage` of a page. Servers get undefined, also if their platform has a `localStorage`, as Deno and Node.js 25 do:
 * all users of a server would share it.
 */
function localStorageOfPage(): TokenStorage | undefined {
  const page = globalThis as Page;
  try {
    // A browser that forbids storage throws as soon as the property is read.
    return page.document === undefined ? undefined : page.localStorage;
  } catch {
    return undefined;
  }
}

/** The token in a storage. Nothing here throws or rejects: a storage that fails holds nothing. */
export class StoredToken {
  readonly #storage: TokenStorage | undefined;
  readonly #key: string;
  /** True if other tabs have the same storage. */
  readonly #isShared: boolean;
  /** False on a server that renders a page: only the browser can read the token. */
  readonly isReadable: boolean;
  #wanted: string | null = null;
  #writing: Promise<void> | undefined;

  constructor(option: StorageOption, key: string) {
    const local = localStorageOfPage();
    this.#storage = option === 'localStorage' ? local : option === 'memory' ? undefined : option;
    this.#key = key;
    this.#isShared = this.#storage !== undefined && this.#storage === local;
    this.isReadable = option !== 'localStorage' || local !== undefined;
  }

  /** The stored token, or null. A synchronous storage is read at once. */
  read(): string | null | Promise<string | null> {
    try {
      const stored: unknown = this.#storage?.getItem(this.#key);
      return isPromise(stored) ? settled(stored).then(tokenOf) : tokenOf(stored);
    } catch {
      return null;
    }
  }

  /**
   * Stores a token, or removes it. Writes never overtake each other: the last one wins, also in a slow storage.
   * @param replaced the token that was valid until now
   */
  write(token: string | null, replaced: string | null): void {
    this.#wanted = token;
    // The running write looks again when it ends.
    if (this.#writing || (token === null && this.#isOfAnotherTab(replaced))) {
      return;
    }
    const written = this.#tryWrite(token);
    if (!written) {
      return;
    }
    this.#writing = written.then(() => {
      this.#writing = undefined;
      if (this.#wanted !== token) {
        this.write(this.#wanted, token);
      }
    });
  }

  /** Resolves when all writes have ended. */
  async written(): Promise<void> {
    while (this.#writing) {
      await this.#writing;
    }
  }

  /** Calls back with the stored token when another tab changes it, and when the browser shows an old page again. */
  watch(onStored: (token: string | null) => void): void {
    const page = globalThis as Page;
    if (!this.#isShared) {
      return;
    }
    // The event tells what the other tab did, but this tab may have stored another token since.
    const look = () => onStored(this.read() as string | null);
    // The key is null after `clear()`.
    page.addEventListener?.('storage', ({ key }) => (key === this.#key || key === null) && look());
    // A page that the back button brings back missed the events of the meantime.
    page.addEventListener?.('pageshow', ({ persisted }) => persisted && look());
  }

  /** Another tab has logged in, and its event has not arrived yet. Its token is not ours to remove. */
  #isOfAnotherTab(replaced: string | null): boolean {
    const stored = this.#isShared ? this.read() : replaced;
    return stored !== null && stored !== replaced;
  }

  /** @returns undefined if the storage has answered at once */
  #tryWrite(token: string | null): Promise<void> | undefined {
    const remove = () => this.#storage?.removeItem(this.#key);
    // A storage that is full still holds the token of an earlier session. It would come back after a reload.
    const write = token === null ? remove : () => this.#storage?.setItem(this.#key, token);
    try {
      const result: unknown = write();
      return isPromise(result) ? settled(result, remove).then(() => {}) : undefined;
    } catch {
      return attempt(remove);
    }
  }
}

/** Runs `act`. Its errors are ignored. */
function attempt(act: () => unknown): Promise<void> | undefined {
  try {
    const result = act();
    return isPromise(result) ? settled(result).then(() => {}) : undefined;
  } catch {
    return undefined;
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

const tokenOf = (stored: unknown): string | null => (typeof stored === 'string' && stored ? stored : null);

/** The value of a promise of a storage; undefined if it rejects, or takes too long. */
function settled(promise: PromiseLike<unknown>, onRejection?: () => unknown): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), STORAGE_TIMEOUT_MILLIS);
    const end = (value: unknown) => {
      clearTimeout(timer);
      resolve(value);
    };
    promise.then(end, () => end(onRejection && attempt(onRejection)));
  });
}
