import { refusedInserts } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { eventSchema, type StoredEvent } from './event-record.ts';
import { CONFIRMED, Store } from './store.ts';

export { EVENT_STATES, type EventAccount, type EventState, type StoredEvent } from './event-record.ts';
export { EVENT_TYPES, type EventType } from './event-types.ts';

/** The place of a reader: the row that it has read last. At the position 0 it has read none, and there is no event. */
export interface EventPlace {
  position: number;
  event: string;
}

export const FIRST_PLACE: EventPlace = { position: 0, event: '' };

/** How many rows are removed at a time. */
const REMOVED_AT_ONCE = 500;

/**
 * The events for services behind the gateway, in the order of their positions. Neither a time nor an id would do: instances write
 * audit events in parallel, and again after a failure. The collection must not be sharded, because `_id` decides between instances.
 */
export class EventStore extends Store<StoredEvent> {
  constructor(database: LimitedConnection) {
    super(database, eventSchema);
  }

  /** The newest position; 0 if nothing was published. */
  async lastPosition(): Promise<number> {
    const options = { sort: { _id: -1 }, projection: { _id: 1 } } as const;
    return (await this.records.first({}, options))?._id ?? 0;
  }

  /** The place behind all rows. */
  async lastPlace(): Promise<EventPlace> {
    const options = { ...CONFIRMED, sort: { _id: -1 }, projection: { event: 1 } } as const;
    const last = await this.records.first({}, options);
    return last ? placeOf(last) : FIRST_PLACE;
  }

  /**
   * Stores rows one after the other, until one is refused.
   * @returns false if one was: another instance has taken its position, or has published its event
   */
  async append(rows: readonly StoredEvent[]): Promise<boolean> {
    const records = rows.map((row) => this.records.ordered(row));
    try {
      await this.records.within(this.records.collection.insertMany(records, { ordered: true }));
      return true;
    } catch (error) {
      // Without duplicates among the refusals: all others would be the database's failure.
      if (refusedInserts(error)?.length === 0) {
        return false;
      }
      throw error;
    }
  }

  /** The events among these that are published. */
  async publishedAmong(events: readonly string[]): Promise<ReadonlySet<string>> {
    const filter = { event: { $in: [...events] } };
    const found = await this.records.list(filter, { projection: { event: 1 } });
    return new Set(found.map(({ event }) => event));
  }

  /**
   * The rows behind a place, up to the first gap: a row that is not confirmed by a majority is not there yet.
   * @returns undefined if the row of the place is gone, or is another one: the database is an older one, or the reader was away for
   *   too long
   */
  async after({ position, event }: EventPlace, limit: number): Promise<StoredEvent[] | undefined> {
    const filter = { _id: { $gte: Math.max(position, 1) } };
    const isFirst = position === 0;
    const found = await this.records.list(filter, {
      ...CONFIRMED,
      sort: { _id: 1 },
      limit: isFirst ? limit : limit + 1,
    });
    const rows = isFirst ? found : found.slice(1);
    const isKnown = isFirst
      ? (found[0]?._id ?? 1) === 1
      : found[0]?._id === position && found[0].event === event;
    const gap = rows.findIndex(({ _id }, index) => _id !== position + 1 + index);
    return isKnown ? rows.slice(0, gap < 0 ? undefined : gap) : undefined;
  }

  /** The newest rows, the newest last. */
  async newest(limit: number): Promise<StoredEvent[]> {
    const found = await this.records.list({}, { sort: { _id: -1 }, limit });
    return found.reverse();
  }

  /**
   * Removes the rows that were published before a moment. The newest row always stays: otherwise positions would start at 1 again.
   * @param future rows from after it were published by a clock that was ahead. They go with the rows behind them
   * @param signal ends it early
   */
  async removeBefore(moment: Date, future: Date, signal?: AbortSignal): Promise<void> {
    const last = await this.lastPosition();
    for (let passed = 0, isOver = false; !isOver && !signal?.aborted; ) {
      const filter = { _id: { $gt: passed, $lt: last } };
      const oldest = await this.records.list(filter, {
        projection: { publishedAt: 1 },
        sort: { _id: 1 },
        limit: REMOVED_AT_ONCE,
      });
      const kept = oldest.findIndex(({ publishedAt }) => publishedAt >= moment && publishedAt <= future);
      const passedBy = oldest.slice(0, kept < 0 ? undefined : kept);
      const newestRemoved = passedBy.findLast(({ publishedAt }) => publishedAt < moment);
      if (newestRemoved) {
        await this.records.removeAll({ _id: { $lte: newestRemoved._id } });
      }
      passed = oldest.at(-1)?._id ?? last;
      isOver = passedBy.length < REMOVED_AT_ONCE;
    }
  }
}

/** The place behind a row. */
export const placeOf = ({ _id, event }: Pick<StoredEvent, '_id' | 'event'>): EventPlace => ({
  position: _id,
  event,
});
