import type { LimitedConnection } from '../../database/exchange-limit.ts';
import { Store } from '../store.ts';

/** What the database records about its schema. */
export interface StoredSchema {
  _id: 'schema';
  /** How many of the migrations are done. */
  version: number;
  /** The release of the gateway that has done the last one. */
  release?: string;
  /** The instance that migrates. If it does not renew `until`, it has died, and another instance takes over. */
  lease?: { holder: string; until: Date };
}

const SCHEMA = { _id: 'schema' } as const;

/** An instance that has not renewed its lease for so long is taken for dead. Clocks of instances may differ by seconds. */
const LEASE_MILLIS = 60_000;
/** A longer one was not made by the clock of an instance that lives. */
const MAX_LEASE_MILLIS = 10 * LEASE_MILLIS;

/** The one record about the schema. Only the holder of its lease migrates, and each step that is done counts the version up. */
export class SchemaStore extends Store<StoredSchema> {
  constructor(database: LimitedConnection) {
    super(database, 'schema');
  }

  /** @returns undefined if no release has recorded a version yet */
  async find(): Promise<StoredSchema | undefined> {
    return (await this.within(this.collection.findOne(SCHEMA))) ?? undefined;
  }

  /** @param make returns the version of a database without a record, and the release that has made it if that is known */
  findOrMake(make: () => Promise<Pick<StoredSchema, 'version' | 'release'>>): Promise<StoredSchema> {
    return this.findOrInsert(SCHEMA._id, async () => ({ ...SCHEMA, ...(await make()) }));
  }

  /** @returns false if another instance that lives has the lease */
  async takeLease(holder: string, nowMillis: number): Promise<boolean> {
    // A lease that has no such time would be waited for without end: a clock was wrong, or the record is damaged.
    const isHeld = { $gte: new Date(nowMillis), $lte: new Date(nowMillis + MAX_LEASE_MILLIS) };
    const free = { ...SCHEMA, $nor: [{ 'lease.until': isHeld }] };
    const take = { $set: { lease: newLease(holder, nowMillis) } };
    return (await this.within(this.collection.updateOne(free, take))).matchedCount === 1;
  }

  /** Makes the lease of its holder last longer. */
  async renewLease(holder: string, nowMillis: number): Promise<void> {
    const renewed = { $set: { lease: newLease(holder, nowMillis) } };
    await this.within(this.collection.updateOne(heldBy(holder), renewed));
  }

  async releaseLease(holder: string): Promise<void> {
    const release = { $unset: { lease: true as const } };
    await this.within(this.collection.updateOne(heldBy(holder), release));
  }

  /** The record, as long as an instance has the lease; undefined if another one has taken it over. */
  async findHeldBy(holder: string): Promise<StoredSchema | undefined> {
    return (await this.within(this.collection.findOne(heldBy(holder)))) ?? undefined;
  }

  /** Records that a step is done, as long as an instance has the lease. */
  async advance(holder: string, from: number, release: string): Promise<void> {
    const change = { $set: { version: from + 1, release } };
    await this.within(this.collection.updateOne({ ...heldBy(holder), version: from }, change));
  }
}

const heldBy = (holder: string) => ({ ...SCHEMA, 'lease.holder': holder });

const newLease = (holder: string, nowMillis: number) => ({
  holder,
  until: new Date(nowMillis + LEASE_MILLIS),
});
