import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../database/database-errors.ts';
import { ServiceUnavailableError } from '../errors/errors.ts';
import type { Clock } from '../system/clock.ts';
import { newId } from './accounts/account-record.ts';
import { type NumberedCollection, reserveNumbers } from './id-counters.ts';

/** `objectid`: ids cannot be guessed. `integer`: numbers above the imported ones, as a legacy service gave them. */
export type IdFormat = 'objectid' | 'integer';

/** Gives ids to the new records of a collection. */
export interface Ids {
  /**
   * Stores something under a new id. If another record has that id, it tries again with the next one.
   * @param store throws the database's error if a record with this `_id` exists; nothing is then stored
   * @throws what `store` throws; ServiceUnavailableError if there is no free id
   */
  withNew<T>(store: (id: string) => Promise<T>): Promise<T>;
}

/** The ids of new accounts and access tokens. */
export interface NewIds {
  accounts: Ids;
  tokens: Ids;
}

/** ObjectIds in hex. No two are equal. */
export const objectIds: Ids = { withNew: (store) => store(newId()) };

/** @param connection on which the counters exist, for `integer` */
export const openIds = (format: IdFormat, connection: Connection, clock: Clock): NewIds => {
  if (format === 'objectid') {
    return { accounts: objectIds, tokens: objectIds };
  }
  const numbersOf = (name: NumberedCollection) =>
    new NumberIds((count) => reserveNumbers(connection, name, count, clock));
  return { accounts: numbersOf('accounts'), tokens: numbersOf('access_tokens') };
};

/**
 * How many numbers an instance reserves at a time. Each login hashes a password, so a machine has some dozens a second: it
 * asks the database about once a second. A restart loses what is left of a block, which does not matter among 2^53.
 */
const BLOCK = 100;

/** The first try with a reserved block drops it, the second one has a block from above an import. */
const MAX_TRIES = 5;

/** Numbers as texts, from blocks that the instance reserves. Instances share the counter, never a number. */
export class NumberIds implements Ids {
  #next = 1;
  #last = 0;
  #reserving: Promise<void> | undefined;

  /** @param reserve reserves the next numbers, and returns the last of them */
  constructor(private readonly reserve: (count: number) => Promise<number>) {}

  async withNew<T>(store: (id: string) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const number = await this.#take();
      try {
        return await store(String(number));
      } catch (error) {
        if (!isDuplicateKey(error, '_id')) {
          throw error;
        }
        if (tries === MAX_TRIES) {
          throw new ServiceUnavailableError('the next ids are taken', error);
        }
        this.#dropBlockOf(number);
      }
    }
  }

  async #take(): Promise<number> {
    while (this.#next > this.#last) {
      this.#reserving ??= this.#reserveBlock().finally(() => {
        this.#reserving = undefined;
      });
      await this.#reserving;
    }
    const number = this.#next;
    this.#next += 1;
    return number;
  }

  async #reserveBlock(): Promise<void> {
    const last = await this.reserve(BLOCK);
    this.#last = last;
    this.#next = last - BLOCK + 1;
  }

  /** An import has stored an id of this block. It has raised the counter, so the next block is free of its ids. */
  #dropBlockOf(number: number): void {
    const isOfThisBlock = number > this.#last - BLOCK && number <= this.#last;
    if (isOfThisBlock) {
      this.#next = this.#last + 1;
    }
  }
}
