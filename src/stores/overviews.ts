import { Schema } from 'mongoose';
import { isUnique } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import type { Role } from './roles.ts';
import { Store } from './store.ts';

/** How many people and tasks there are: what operators see at a glance. */
export interface OverviewCounts {
  /** Active accounts with a second factor and without one. */
  active: { role: Role; on: number; off: number }[];
  /** With the closed ones. */
  disabled: number;
  closed: number;
  /** Doctors who wait for a decision. */
  pendingDoctors: number;
  /** When the documents of the first of them were submitted; null if nobody waits. */
  oldestPendingAt: Date | null;
}

interface StoredOverview {
  _id: string;
  /** When an instance began to count. */
  claimedAt: Date;
  /** The last counts; absent before the first ones. */
  counts?: OverviewCounts;
}

export const overviewSchema = new Schema<StoredOverview>(
  {
    _id: { type: String, required: true },
    claimedAt: { type: Date, required: true },
    counts: Schema.Types.Mixed,
  },
  { collection: 'overviews' },
);

const ONLY = 'counts';

/** The counts that one instance makes for all. There is one record. */
export class OverviewStore extends Store<StoredOverview> {
  constructor(database: LimitedConnection) {
    super(database, overviewSchema);
  }

  async find(): Promise<OverviewCounts | undefined> {
    return (await this.records.first({ _id: ONLY }))?.counts;
  }

  /**
   * Takes the turn to count.
   * @returns false if an instance has begun less than `everyMillis` ago. One in the future was begun by a wrong clock
   */
  async claim(now: Date, everyMillis: number): Promise<boolean> {
    const recent = {
      $gt: new Date(now.getTime() - everyMillis),
      $lte: new Date(now.getTime() + everyMillis),
    };
    const filter = { _id: ONLY, claimedAt: { $not: recent } };
    const claim = this.records.update(filter, { $set: { claimedAt: now } }, { upsert: true });
    return isUnique(claim, '_id');
  }

  async store(counts: OverviewCounts): Promise<void> {
    await this.records.update({ _id: ONLY }, { $set: { counts } });
  }
}
