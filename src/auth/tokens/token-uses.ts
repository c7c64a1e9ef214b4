import { boundedExchange } from '../../database/bounded-exchange.ts';
import type { AccessTokenModel } from '../../models/access-token.model.ts';
import type { Logger } from '../../system/log.ts';
import { idleEndOf, type TokenLifetimes } from './token-lifetimes.ts';

/** What is known of a token that was used lately. */
interface Use {
  /** Milliseconds since the epoch. */
  lastUsedAt: number;
  isWritten: boolean;
  /** Not written before this, by the process's own clock, which nobody sets back. */
  dueAt: number;
}

/** How soon a first use is written, and how often it is looked for what is due. */
const TICK_MILLIS = 1_000;
/** Each token is written at most once in this time (the legacy service writes at every request). */
const INTERVAL_MILLIS = 60_000;
const MOST_AT_ONCE = 200;
/** How long a stop may be held up by them. */
const CLOSE_PATIENCE_MILLIS = 3_000;
/** Some megabytes. Only a database that answers and does not write could have it grow that far. */
const MOST_KNOWN = 100_000;

/**
 * When tokens were last used. A request only notes it in memory; it is written behind the answers, and a token that is
 * used all the time is written once a minute, at the end of it, so that its last use is not lost.
 */
export class TokenUses {
  readonly #uses = new Map<string, Use>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isFailing = false;
  /** When writing ends, finished or not, by the process's own clock. */
  #until = Number.POSITIVE_INFINITY;

  constructor(
    private readonly tokens: AccessTokenModel,
    private readonly lifetimes: TokenLifetimes,
    private readonly log: Logger,
  ) {}

  /** Notes that a token is being used. */
  note(tokenId: string): void {
    const use = this.#uses.get(tokenId);
    if (use) {
      use.lastUsedAt = Date.now();
      use.isWritten = false;
    } else if (this.#uses.size < MOST_KNOWN) {
      this.#uses.set(tokenId, { lastUsedAt: Date.now(), isWritten: false, dueAt: 0 });
      this.#timer ??= this.#tickLater();
    }
  }

  /** The later of the stored last use and the one noted here. */
  latest(tokenId: string, stored: Date | null): Date | null {
    const noted = this.#uses.get(tokenId)?.lastUsedAt;
    return noted === undefined || (stored && stored.getTime() >= noted) ? stored : new Date(noted);
  }

  /** Writes what has not been written. Where the database is away, or slow, that is lost. */
  async close(): Promise<void> {
    this.#until = performance.now() + CLOSE_PATIENCE_MILLIS;
    await this.#writing;
    clearTimeout(this.#timer);
    await this.#write([...this.#uses].filter(([, { isWritten }]) => !isWritten));
  }

  #tickLater(): NodeJS.Timeout {
    const tick = () => {
      this.#writing = this.#write(this.#takeDue(performance.now())).then(() => {
        this.#timer = this.#uses.size > 0 ? this.#tickLater() : undefined;
      });
    };
    return setTimeout(tick, TICK_MILLIS).unref();
  }

  /** What is to be written now. Whatever was not used since it was written is forgotten after its minute. */
  #takeDue(now: number): [string, Use][] {
    const due: [string, Use][] = [];
    for (const [tokenId, use] of this.#uses) {
      if (use.dueAt > now) continue;
      if (use.isWritten) this.#uses.delete(tokenId);
      else due.push([tokenId, use]);
      use.dueAt = now + INTERVAL_MILLIS;
    }
    return due;
  }

  /** What cannot be written is due again a minute later. */
  async #write(uses: [string, Use][]): Promise<void> {
    let rest = uses;
    try {
      for (; rest.length > 0; rest = rest.slice(MOST_AT_ONCE)) {
        if (performance.now() > this.#until) throw new Error(`no time for ${rest.length} more`);
        await this.#writeSome(rest.slice(0, MOST_AT_ONCE));
      }
      if (uses.length > 0) this.#isFailing = false;
    } catch (err) {
      for (const [, use] of rest) use.isWritten = false;
      if (!this.#isFailing) this.log.warn({ err }, 'the last uses of tokens are not being written');
      this.#isFailing = true;
    }
  }

  /** Never inserts: a token that was revoked meanwhile stays revoked. Nor moves back what another instance has seen. */
  async #writeSome(uses: [string, Use][]): Promise<void> {
    const updates = uses.map(([_id, use]) => {
      use.isWritten = true;
      const lastUsedAt = new Date(use.lastUsedAt);
      const idleExpiresAt = idleEndOf(lastUsedAt, this.lifetimes);
      const update = idleExpiresAt
        ? { $max: { lastUsedAt, idleExpiresAt } }
        : { $max: { lastUsedAt }, $set: { idleExpiresAt } };
      return { updateOne: { filter: { _id }, update } };
    });
    // A last use need not survive a crash, and so does not wait for a disk.
    const options = { ordered: false, writeConcern: { w: 1, journal: false } };
    await boundedExchange(this.tokens.bulkWrite(updates, options));
  }
}
