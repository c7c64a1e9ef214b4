import type { AccessTokenStore } from '../../stores/access-tokens.ts';
import type { Cancel, Clock } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import { type AccessToken, idleEndOf, type TokenLifetimes } from './token-lifetimes.ts';

/** The last use of a token that was used lately. */
interface Use {
  /** Milliseconds since the epoch. */
  lastUsedAt: number;
  isStaff: boolean;
  isWritten: boolean;
  /** The earliest time for a write, by {@link Clock.elapsed}. */
  dueAt: number;
}

interface TokenUsesParts {
  accessTokens: Pick<AccessTokenStore, 'noteUses'>;
  tokenLifetimes: TokenLifetimes;
  clock: Clock;
  log: Logger;
}

/** How soon a first use is written, and how often due uses are looked for. */
const TICK_MILLIS = 1_000;
/** Each token is written at most once in this time (the legacy service writes at every request). */
const INTERVAL_MILLIS = 60_000;
const MAX_BATCH = 200;
/** How long the writes may delay a stop. */
const MAX_CLOSE_MILLIS = 3_000;
/** Some megabytes. There are so many only if a database answers, but does not write. */
const MAX_KNOWN = 100_000;

/**
 * The last uses of tokens. A request only notes its use in memory. Uses are written in the background: for a token that is
 * used all the time once a minute, at the end of the minute, so that its last use is not lost.
 */
export class TokenUses {
  readonly #uses = new Map<string, Use>();
  #cancelTick: Cancel | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isFailing = false;
  /** When writes stop, finished or not, by {@link Clock.elapsed}. */
  #until = Number.POSITIVE_INFINITY;

  constructor(private readonly parts: TokenUsesParts) {}

  /** Notes that a token is being used. */
  note({ _id, isStaff }: Pick<AccessToken, '_id' | 'isStaff'>): void {
    const lastUsedAt = this.parts.clock.now();
    const use = this.#uses.get(_id);
    if (use) {
      use.lastUsedAt = lastUsedAt;
      use.isWritten = false;
    } else if (this.#uses.size < MAX_KNOWN) {
      this.#uses.set(_id, { lastUsedAt, isStaff, isWritten: false, dueAt: 0 });
      this.#cancelTick ??= this.#tickLater();
    }
  }

  /** The later of the stored last use and the one noted here. */
  latest(tokenId: string, stored: Date | null): Date | null {
    const noted = this.#uses.get(tokenId)?.lastUsedAt;
    return noted === undefined || (stored && stored.getTime() >= noted) ? stored : new Date(noted);
  }

  /** Writes all unwritten uses. If the database is slow or does not answer, they are lost. */
  async close(): Promise<void> {
    this.#until = this.parts.clock.elapsed() + MAX_CLOSE_MILLIS;
    await this.#writing;
    this.#cancelTick?.();
    // From now on no tick begins: a request that was cut off may still note a use.
    this.#cancelTick = () => {};
    await this.#write([...this.#uses].filter(([, { isWritten }]) => !isWritten));
  }

  #tickLater(): Cancel {
    const tick = () => {
      this.#writing = this.#write(this.#takeDue()).then(() => {
        this.#cancelTick = this.#uses.size > 0 ? this.#tickLater() : undefined;
      });
    };
    return this.parts.clock.after(TICK_MILLIS, tick);
  }

  /** The uses to write now. A use that was written a minute ago, and not repeated since, is forgotten. */
  #takeDue(): [string, Use][] {
    const now = this.parts.clock.elapsed();
    const due: [string, Use][] = [];
    for (const [tokenId, use] of this.#uses) {
      if (use.dueAt > now) {
        continue;
      }
      if (use.isWritten) {
        this.#uses.delete(tokenId);
      } else {
        due.push([tokenId, use]);
      }
      use.dueAt = now + INTERVAL_MILLIS;
    }
    return due;
  }

  /** A use that cannot be written is due again a minute later. */
  async #write(uses: [string, Use][]): Promise<void> {
    const { clock, log } = this.parts;
    let rest = uses;
    try {
      for (; rest.length > 0; rest = rest.slice(MAX_BATCH)) {
        if (clock.elapsed() > this.#until) {
          throw new Error(`no time for ${rest.length} more`);
        }
        await this.#writeSome(rest.slice(0, MAX_BATCH));
      }
      if (uses.length > 0) {
        this.#isFailing = false;
      }
    } catch (err) {
      for (const [, use] of rest) {
        use.isWritten = false;
      }
      if (!this.#isFailing) {
        log.warn({ err }, 'the last uses of tokens are not being written');
      }
      this.#isFailing = true;
    }
  }

  async #writeSome(uses: [string, Use][]): Promise<void> {
    const { accessTokens, tokenLifetimes } = this.parts;
    const written = uses.map(([id, use]) => {
      use.isWritten = true;
      const lastUsedAt = new Date(use.lastUsedAt);
      return { id, lastUsedAt, idleExpiresAt: idleEndOf(use, lastUsedAt, tokenLifetimes) };
    });
    await accessTokens.noteUses(written);
  }
}
