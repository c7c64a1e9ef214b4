import { spendArgon2 } from './argon2-hash.ts';
import { spendBcrypt } from './bcrypt-hash.ts';
import type { StoredHash } from './stored-hash.ts';

/*
 * Why a failed login takes the same time for every e-mail (OWASP ASVS 6.3.8, WSTG-IDNT-04)
 *
 * The time of a comparison depends on the stored hash: its algorithm, its cost, and whether there is one. So a guesser could
 * tell who has an account, and whose comes from the legacy service, which hashed more cheaply. That is also a list of the
 * hashes that are worth stealing. Therefore every failed login does the work of all kinds of hashes that exist:
 *
 * - bcrypt at the highest cost. A comparison of cost c is followed by the missing rounds: 2^c + 2^(c+1) + … + 2^(full-1) are
 *   2^full - 2^c.
 * - argon2 at all settings of which there are hashes. Its work cannot be made up for in parts, because the time of a pass
 *   depends on the memory. A legacy service has one setting, rarely two.
 *
 * And all of it twice if the text as typed is not in NFC: a hash of PHP is compared with both forms. That depends on the
 * text alone, which the guesser knows, and so it is done for every account.
 *
 * Only hashes tell which kinds exist, and to search all accounts for them at each start would take too long. A kind is
 * learned when the first login meets it. So the first guess at such an account shows its kind, once after a start. A caller
 * cannot make this costlier than its accounts are: hashes come only from the database, and costly ones count as corrupt.
 * Once the last argon2 hash is upgraded, a restart ends the extra work. All of it is done in one slot of the queue, so the
 * memory of argon2 is needed once for each slot, and other requests keep their share of the processor.
 *
 * A success is as fast as its own hash: its caller knows anyway that there is an account.
 */

/** With more settings than this, the later ones can be told apart: each takes about 0.1 s of every failed login. */
const MAX_ARGON2_SETTINGS = 4;

/** The work that every failed login does. */
export class FailureWork {
  /** The highest cost of bcrypt so far. */
  #fullCost: number;
  /** All settings of argon2 so far. */
  readonly #argon2Settings = new Set<string>();

  /** @param todaysCost of new bcrypt hashes */
  constructor(private readonly todaysCost: number) {
    this.#fullCost = todaysCost;
  }

  /** Learns the kind of a hash that is compared with. */
  learn(hash: StoredHash): void {
    if (hash.kind === 'bcrypt') {
      this.#fullCost = Math.max(this.#fullCost, hash.cost);
    } else if (this.#argon2Settings.size < MAX_ARGON2_SETTINGS) {
      this.#argon2Settings.add(hash.settings);
    }
  }

  /** Does the work that one comparison with a hash has saved. */
  async makeUpFor(hash: StoredHash): Promise<void> {
    if (hash.kind === 'argon2') {
      await spendBcrypt(this.todaysCost);
    }
    const paidCost = hash.kind === 'argon2' ? this.todaysCost : hash.cost;
    for (let cost = paidCost; cost < this.#fullCost; cost += 1) {
      await spendBcrypt(cost);
    }
    for (const settings of this.#argon2Settings) {
      if (hash.kind !== 'argon2' || hash.settings !== settings) {
        await spendArgon2(settings);
      }
    }
  }
}
