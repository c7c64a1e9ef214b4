import { ServiceUnavailableError, TooManyAttemptsError } from './errors.ts';
import { type NetworkLevel, networksOf } from './networks.ts';

/** How many may hold capacity at the same time, and how many bytes they may hold together. */
interface Amounts {
  places: number;
  bytes: number;
}

/** What may be held in all, and by each network of a level. */
export type CapacityLimits = Record<'all' | NetworkLevel, Amounts>;

/** The part of one holder, such as an upload. */
export interface HeldCapacity {
  /** The bytes that it holds. */
  readonly heldBytes: number;
  /**
   * Takes more bytes. With less than it holds, nothing changes.
   * @param bytes that it holds from now on
   * @throws as {@link SharedCapacity.take}. What it held before stays held
   */
  growTo(bytes: number): void;
  /** Gives everything back. Only the first call counts. */
  leave(): void;
}

/** What the networks around a sender hold, and may hold. */
type Shares = readonly { key: string; held: Amounts; limit: Amounts }[];

/** An IPv6 line may hold as much as two addresses, like the limits of logins (docs/security/login-limits.md). */
const LINE_SHARE = 2;

/**
 * The limits of all levels, from the limits of a single address and of all. A block has the geometric mean of both: with 30 of
 * 300 that is 94, so three addresses are needed to use up a /24, and more than three blocks to use up everything.
 */
export function capacityLimits(all: Amounts, address: Amounts): CapacityLimits {
  const block = each((kind) => Math.max(address[kind], Math.floor(Math.sqrt(address[kind] * all[kind]))));
  return { all, block, line: each((kind) => Math.min(LINE_SHARE * address[kind], block[kind])), address };
}

interface CapacityOptions {
  /** What is shared, for the log, such as `uploads`. */
  name: string;
  limits: CapacityLimits;
  /**
   * A holder of at most so many bytes passes the limit on the bytes of all, but no other limit. So large holders of many networks
   * do not keep small ones out. Something else must bound the number of holders.
   */
  smallBytes?: number;
  /** When a refused sender may try again. */
  retryAfterSeconds: number;
}

/**
 * Capacity that senders share, such as memory or disk space. It is bounded in all, so that many senders cannot exhaust it, and
 * for each network, so that one sender leaves enough to all others (OWASP API4:2023; ASVS 5.0 item 5.2.1).
 */
export class SharedCapacity {
  readonly #all: Amounts = { places: 0, bytes: 0 };
  /** By level and network. Only networks that hold something are here, so the limit on all places bounds them, too. */
  readonly #held = new Map<string, Amounts>();

  constructor(private readonly options: CapacityOptions) {}

  /**
   * Takes a place, and bytes.
   * @param address of the sender, as {@link networksOf} takes it
   * @param bytes that are needed, 0 if that is not known yet
   * @throws TooManyAttemptsError if a network around the address would hold more than its share, ServiceUnavailableError if all
   *   together would hold too much and the holder is not small
   */
  take(address: string, bytes: number): HeldCapacity {
    // Once for each holder: one that grows with a body does so many times.
    const shares = this.#sharesOf(address);
    this.#take(shares, { places: 1, bytes }, bytes);
    let heldBytes = bytes;
    let hasLeft = false;
    return {
      get heldBytes() {
        return heldBytes;
      },
      growTo: (more) => {
        if (hasLeft || more <= heldBytes) {
          return;
        }
        this.#take(shares, { places: 0, bytes: more - heldBytes }, more);
        heldBytes = more;
      },
      leave: () => {
        if (!hasLeft) {
          this.#giveBack(shares, { places: 1, bytes: heldBytes });
        }
        hasLeft = true;
      },
    };
  }

  /** By reference, because whoever has a place keeps its networks in the map. */
  #sharesOf(address: string): Shares {
    return networksOf(address).map(({ level, key }) => {
      const held = this.#held.get(`${level} ${key}`) ?? { places: 0, bytes: 0 };
      return { key: `${level} ${key}`, held, limit: this.options.limits[level] };
    });
  }

  /** @param holderBytes what the holder would hold with what it takes */
  #take(shares: Shares, more: Amounts, holderBytes: number): void {
    const { name, limits, smallBytes = 0, retryAfterSeconds } = this.options;
    if (!shares.every(({ held, limit }) => fits(held, more, limit))) {
      throw new TooManyAttemptsError(retryAfterSeconds);
    }
    const bytesOfAll = holderBytes <= smallBytes ? Number.POSITIVE_INFINITY : limits.all.bytes;
    if (!fits(this.#all, more, { ...limits.all, bytes: bytesOfAll })) {
      throw new ServiceUnavailableError(`no capacity for ${name}`);
    }
    add(this.#all, more);
    for (const { key, held } of shares) {
      this.#held.set(key, add(held, more));
    }
  }

  #giveBack(shares: Shares, { places, bytes }: Amounts): void {
    const less = { places: -places, bytes: -bytes };
    add(this.#all, less);
    for (const { key, held } of shares) {
      if (add(held, less).places === 0) {
        this.#held.delete(key);
      }
    }
  }
}

const each = (amountOf: (kind: keyof Amounts) => number): Amounts => ({
  places: amountOf('places'),
  bytes: amountOf('bytes'),
});

const fits = (held: Amounts, more: Amounts, limit: Amounts): boolean =>
  held.places + more.places <= limit.places && held.bytes + more.bytes <= limit.bytes;

function add(held: Amounts, more: Amounts): Amounts {
  held.places += more.places;
  held.bytes += more.bytes;
  return held;
}
