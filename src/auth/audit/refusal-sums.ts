import { newId } from '../../stores/accounts.ts';
import type { AuditEvent } from '../../stores/audit-events.ts';
import type { Cancel, Clock } from '../../system/clock.ts';
import { networksOf } from '../../system/networks.ts';

/** Writes refusals. */
interface RefusalWriter {
  /** True while earlier refusals are not written yet. */
  readonly hasRefusals: boolean;
  addRefusals(events: AuditEvent[]): void;
}

const MINUTE_MILLIS = 60_000;
const RETRY_MILLIS = 1_000;
/**
 * How many pairs of kind and address have a sum of their own. It limits the events and sums of a minute, also for an
 * attacker with many networks. They take some hundred kilobytes of memory.
 */
const MAX_SUMS = 200;
/** How many of them one /24 or /48 has. Its further addresses are summed under it, so that others keep theirs. */
const MAX_SUMS_OF_BLOCK = 40;
/** Stands for all further networks. */
const OTHER_ADDRESSES = 'other addresses';

/** The fields that the events of a sum may have in common. */
const SHARED = ['accountId', 'byAccountId', 'emailDigest', 'userAgent', 'service'] as const;

/**
 * Sums up refusals, which are cheap for their sender and may come by the thousand. The first of a kind from an address is
 * written at once, as an event of its own. Those of the next minute become one event with their number. While the database
 * does not answer, sums keep growing instead of adding events, so that the memory is bounded.
 */
export class RefusalSums {
  /** By kind and address; undefined while there was only the first refusal. */
  readonly #sums = new Map<string, AuditEvent | undefined>();
  /** How many sums the addresses of a block have. */
  readonly #ofBlock = new Map<string, number>();
  #cancelFlush: Cancel | undefined;
  #isClosed = false;

  constructor(
    private readonly writer: RefusalWriter,
    private readonly clock: Clock,
    private readonly periodMillis = MINUTE_MILLIS,
  ) {}

  /** @param kind a fixed text; refusals of one kind are summed */
  add(event: AuditEvent, kind: string): void {
    const keyOf = (ip: string) => [event.act, event.channel, kind, ip].join('\n');
    const key = keyOf(event.ip);
    const block = networksOf(event.ip)[0]?.key ?? event.ip;
    const isFull = this.#sums.size >= MAX_SUMS;
    if (this.#sums.has(key)) {
      this.#sum(key, event);
    } else if (!isFull && (this.#ofBlock.get(block) ?? 0) < MAX_SUMS_OF_BLOCK) {
      this.#begin(key, block, event);
    } else {
      const ip = !isFull || this.#sums.has(keyOf(block)) ? block : OTHER_ADDRESSES;
      this.#sum(keyOf(ip), { ...event, ip });
    }
  }

  /** Gives all sums to the writer. Refusals that come later are written one by one. */
  close(): void {
    this.#isClosed = true;
    this.#cancelFlush?.();
    this.#writeSums();
  }

  #begin(key: string, block: string, event: AuditEvent): void {
    this.writer.addRefusals([event]);
    if (this.#isClosed) {
      return;
    }
    this.#sums.set(key, undefined);
    this.#ofBlock.set(block, (this.#ofBlock.get(block) ?? 0) + 1);
    this.#cancelFlush ??= this.#flushIn(this.periodMillis);
  }

  #sum(key: string, event: AuditEvent): void {
    this.#sums.set(key, sumOf(this.#sums.get(key), event));
  }

  #flushIn(millis: number): Cancel {
    const flush = () => {
      const isBusy = this.writer.hasRefusals;
      if (!isBusy) {
        this.#writeSums();
      }
      this.#cancelFlush = isBusy ? this.#flushIn(RETRY_MILLIS) : undefined;
    };
    return this.clock.after(millis, flush);
  }

  #writeSums(): void {
    this.writer.addRefusals([...this.#sums.values()].filter((sum) => sum !== undefined));
    this.#sums.clear();
    this.#ofBlock.clear();
  }
}

/** Adds one refusal to a sum. A shared field that differs between its events becomes null. */
function sumOf(sum: AuditEvent | undefined, event: AuditEvent): AuditEvent {
  if (!sum) {
    return { ...event, _id: newId(), count: 1, lastAt: event.at };
  }
  for (const field of SHARED) {
    if (sum[field] !== event[field]) {
      sum[field] = null;
    }
  }
  const { at: lastAt, expiresAt } = event;
  return Object.assign(sum, { count: (sum.count ?? 0) + 1, lastAt, expiresAt });
}
