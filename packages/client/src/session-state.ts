import { cookieMark } from './cookie-session.ts';
import type { Result } from './results.ts';
import type { StoredToken } from './token-storage.ts';
import type { Account, OwnAccount, Session } from './types.ts';

const LOADING: Session = { status: 'loading' };
const ANONYMOUS: Session = { status: 'anonymous' };

interface Parts {
  stored: StoredToken;
  /** The token of the options. It replaces a stored one. */
  token: string | null;
  /** True if the token is in a cookie. Then a mark stands for it here. */
  isCookie: boolean;
  /** Asks the gateway for the account of the token, and tells the store. */
  askMe: () => Promise<Result<OwnAccount>>;
  onTokenChange: ((token: string | null) => void) | undefined;
}

/**
 * The token and the session of a client. Answers arrive in any order: one that belongs to a token which has been replaced or
 * forgotten since changes nothing.
 */
export class SessionState {
  readonly #stored: StoredToken;
  readonly #askMe: Parts['askMe'];
  readonly #onTokenChange: Parts['onTokenChange'];
  readonly #isCookie: boolean;
  readonly #listeners = new Set<{ listener: () => void }>();
  #token: string | null = null;
  #session: Session = LOADING;
  #isObserved = false;
  /** False until the storage has answered, or the program has set a token. */
  #isTokenKnown = false;
  #asking: Promise<void> | undefined;
  /** Resolves when the stored token has been read. It never rejects. */
  readonly ready: Promise<void>;

  constructor({ stored, token, isCookie, askMe, onTokenChange }: Parts) {
    this.#stored = stored;
    this.#askMe = askMe;
    this.#onTokenChange = onTokenChange;
    this.#isCookie = isCookie;
    // There may be a session. The gateway knows.
    const first = isCookie ? cookieMark() : token;
    this.ready = first === null ? this.#restore() : this.#keep(first);
    stored.watch((found) => this.#change(found, found === null ? ANONYMOUS : LOADING, { isStored: true }));
  }

  get token(): string | null {
    return this.#token;
  }

  get session(): Session {
    return this.#session;
  }

  /** Sets a token whose account is not known yet, or null. Resolves when it is stored. */
  setToken(token: string | null): Promise<void> {
    this.#change(this.#keptFor(token), token === null ? ANONYMOUS : LOADING);
    return this.#stored.written();
  }

  /** Keeps the token of a login or registration. Resolves when it is stored. */
  logIn(token: string, account: Account): Promise<void> {
    this.#change(this.#keptFor(token), authenticated(account, this.#session));
    return this.#stored.written();
  }

  /** Keeps a token in place of the one that has ended, unless another one has replaced that. Resolves when it is stored. */
  replace(ended: string | null, token: string, account?: Account): Promise<void> {
    if (ended !== null && ended === this.#token) {
      const same = this.#session.status === 'authenticated' ? this.#session : LOADING;
      this.#change(this.#keptFor(token), account ? authenticated(account, this.#session) : same);
    }
    return this.#stored.written();
  }

  /** Forgets a token, unless another one has replaced it. Resolves when it is out of the storage. */
  forget(token: string | null): Promise<void> {
    if (token !== null && token === this.#token) {
      this.#change(null, ANONYMOUS);
    }
    return this.#stored.written();
  }

  /** Notes the account that the gateway has named for a token. */
  confirm(token: string | null, account: OwnAccount): void {
    if (token !== null && token === this.#token) {
      const { profile: _, ...own } = account;
      this.#show(authenticated(own, this.#session));
    }
  }

  subscribe(listener: () => void): () => void {
    // The same function may subscribe twice.
    const entry = { listener };
    this.#listeners.add(entry);
    if (!this.#isObserved) {
      this.#isObserved = true;
      this.#load();
    }
    return () => {
      this.#listeners.delete(entry);
    };
  }

  async refresh(): Promise<Session> {
    await this.ready;
    if (this.#isCookie && this.#token === null) {
      // Another tab may have logged in.
      this.#change(cookieMark(), LOADING);
    }
    const token = this.#token;
    if (token === null) {
      this.#show(ANONYMOUS);
      return this.#session;
    }
    const asking = this.#asking ?? this.#ask(token);
    this.#asking = asking;
    await asking;
    this.#asking = this.#asking === asking ? undefined : this.#asking;
    return this.#session;
  }

  async #ask(token: string): Promise<void> {
    if (this.#session.status === 'loading') {
      this.#show(LOADING);
    }
    const result = await this.#askMe();
    // An account that is known stays: the gateway is only away.
    if (!result.ok && token === this.#token && this.#session.status === 'loading') {
      this.#show({ status: 'loading', error: result.error });
    }
  }

  /** Asks for the account once somebody wants to know it. */
  #load(): void {
    void this.ready.then(() => (this.#session.status === 'loading' ? this.refresh() : undefined));
  }

  #keptFor(token: string | null): string | null {
    return this.#isCookie && token !== null ? cookieMark() : token;
  }

  #keep(token: string): Promise<void> {
    this.#token = token;
    this.#isTokenKnown = true;
    this.#stored.write(token, null);
    return Promise.resolve();
  }

  async #restore(): Promise<void> {
    const stored = this.#stored.read();
    // A synchronous storage answers at once, so that `client.token` is there right after `createAuthClient`.
    if (typeof stored !== 'object' || stored === null) {
      this.#token = stored;
      this.#isTokenKnown = true;
      this.#session = stored !== null || !this.#stored.isReadable ? LOADING : ANONYMOUS;
      // The program's callback may use the client, which its variable holds only after this.
      await undefined;
      if (stored !== null && stored === this.#token) {
        report(() => this.#onTokenChange?.(stored));
      }
      return;
    }
    const token = await stored;
    if (!this.#isTokenKnown) {
      this.#change(token, token === null ? ANONYMOUS : LOADING, { isStored: true });
    }
  }

  /** The only place where the token changes later. Token and session change as one. */
  #change(token: string | null, session: Session, { isStored = false } = {}): void {
    const replaced = this.#token;
    const isChanged = token !== replaced || !this.#isTokenKnown;
    this.#isTokenKnown = true;
    // What is known about this token stays known.
    const isNews = isChanged || session !== LOADING;
    this.#token = token;
    // A question about the token before is not one about this token, even if it is the same again.
    this.#asking = isChanged ? undefined : this.#asking;
    const shown = this.#session;
    this.#session = isNews ? session : shown;
    if (isChanged && !isStored) {
      this.#stored.write(token, replaced);
    }
    if (token !== replaced) {
      report(() => this.#onTokenChange?.(token));
    }
    this.#notify(shown);
    if (this.#session === LOADING && this.#isObserved) {
      this.#load();
    }
  }

  #show(session: Session): void {
    const shown = this.#session;
    this.#session = session;
    this.#notify(shown);
  }

  #notify(shown: Session): void {
    if (this.#session === shown) {
      return;
    }
    for (const { listener } of [...this.#listeners]) {
      report(listener);
    }
  }
}

/** The session of an account. An account that has not changed is the same object, so that nothing is rendered again. */
function authenticated(account: Account, current: Session): Session {
  if (current.status === 'authenticated') {
    const known = Object.entries(current.account);
    const given = new Map<string, unknown>(Object.entries(account));
    if (known.length === given.size && known.every(([field, value]) => given.get(field) === value)) {
      return current;
    }
  }
  return { status: 'authenticated', account };
}

/** Runs a callback of the program. Its error goes to the platform, as one of an event listener does, and not into a call. */
function report(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
