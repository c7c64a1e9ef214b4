import type { Clock } from './clock.ts';
import { type NetworkLevel, networksOf } from './networks.ts';

/** How many turns an address may have before others. */
export interface TurnLimits {
  /** After a pause. */
  atOnce: number;
  /** How many come back in a minute. */
  perMinute: number;
}

/** An IPv6 line is one subscriber, like an IPv4 address. A block may belong to several. */
const SHARES: Record<NetworkLevel, number> = { block: 2, line: 1, address: 1 };

const MINUTE_MILLIS = 60_000;

/** What a network has used of its budget. */
interface Used {
  turns: number;
  /** When `turns` was counted: it shrinks from then on. */
  at: number;
}

/** A budget of turns for each network (a token bucket), so that one sender with a privilege cannot use up the turns of those without. */
export class TurnBudget {
  /** By level and network, the one that used its budget last is last. */
  readonly #used = new Map<string, Used>();
  /** After this time, an unused budget is whole again. The shares of the levels do not change it. */
  readonly #wholeAfterMillis: number;

  /** @param maxNetworks how many networks are remembered. Beyond that, the one that has used nothing for longest gets a whole budget */
  constructor(
    private readonly limits: TurnLimits,
    private readonly clock: Clock,
    private readonly maxNetworks = 10_000,
  ) {
    this.#wholeAfterMillis = (limits.atOnce / limits.perMinute) * MINUTE_MILLIS;
  }

  /** How many networks are remembered: at most `maxNetworks`, and none whose budget was whole at the latest turn. */
  get size(): number {
    return this.#used.size;
  }

  /**
   * Takes one turn from the budget of each network around an address.
   * @param address as {@link networksOf} takes it
   * @returns false if one of them has none left. Then nothing is taken
   */
  take(address: string): boolean {
    const at = this.clock.elapsed();
    this.#forgetWhole(at);
    const networks = networksOf(address).map(({ level, key }) => {
      const name = `${level} ${key}`;
      return { name, turns: this.#turnsOf(name, at, SHARES[level]) + 1, share: SHARES[level] };
    });
    if (!networks.every(({ turns, share }) => turns <= share * this.limits.atOnce)) {
      return false;
    }
    for (const { name, turns } of networks) {
      this.#used.delete(name);
      this.#used.set(name, { turns, at });
    }
    this.#forgetBeyondMaximum();
    return true;
  }

  #turnsOf(name: string, now: number, share: number): number {
    const { turns, at } = this.#used.get(name) ?? { turns: 0, at: now };
    return Math.max(0, turns - ((now - at) / MINUTE_MILLIS) * share * this.limits.perMinute);
  }

  #forgetWhole(now: number): void {
    for (const [name, { at }] of this.#used) {
      if (now - at < this.#wholeAfterMillis) {
        return;
      }
      this.#used.delete(name);
    }
  }

  #forgetBeyondMaximum(): void {
    for (const name of this.#used.keys()) {
      if (this.#used.size <= this.maxNetworks) {
        return;
      }
      this.#used.delete(name);
    }
  }
}
