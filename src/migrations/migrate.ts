import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import { findOrInsert } from '../database/find-or-insert.ts';
import { createModels } from '../stores/models.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { ownVersion } from '../system/own-package.ts';
import { pause } from '../system/pause.ts';
import { MIGRATIONS } from './migrations.ts';
import {
  demandKnown,
  SCHEMA,
  SCHEMA_VERSION,
  type StoredSchema,
  schemaOf,
  unrecordedVersion,
} from './schema-version.ts';

/** An instance that has not renewed its lease for so long is taken for dead. Clocks of instances may differ by seconds. */
const LEASE_MILLIS = 60_000;
/** A longer one was not made by the clock of an instance that lives. */
const MAX_LEASE_MILLIS = 10 * LEASE_MILLIS;
const RENEWAL_MILLIS = 15_000;
/** How often an instance looks if another one has ended the migration. */
const LOOK_MILLIS = 500;

interface Migrating {
  clock: Clock;
  /** Learns what is done, and what is left to the operator. */
  log?: Logger | undefined;
  /** Ends the wait for another instance; its reason is thrown. */
  signal?: AbortSignal | undefined;
}

type SchemaCollection = mongo.Collection<StoredSchema>;

/**
 * Brings the schema of the database to the version of this release. If several instances start, one of them does it and the
 * others wait for it.
 * @param connection without a time limit on exchanges
 * @throws what a step throws; the next start goes on with it. What {@link demandKnown} throws
 */
export async function migrate(connection: Connection, { clock, log, signal }: Migrating): Promise<void> {
  const schema = schemaOf(connection);
  const holder = randomUUID();
  for (let isWaiting = false; ; isWaiting = true) {
    const stored = await readOrMake(connection);
    // Meanwhile a later release may have started, too.
    demandKnown(stored);
    if (stored.version === SCHEMA_VERSION) {
      return;
    }
    if (await takeLease(schema, holder, clock)) {
      const stopRenewing = keepLease(schema, holder, clock);
      try {
        await runSteps(connection, holder, { log, signal });
      } finally {
        stopRenewing();
        await schema.updateOne({ ...SCHEMA, 'lease.holder': holder }, { $unset: { lease: '' } });
      }
    } else {
      if (!isWaiting) {
        log?.info({ from: stored.version, to: SCHEMA_VERSION }, 'another instance migrates the database');
      }
      await pause(clock, LOOK_MILLIS, signal);
    }
  }
}

/** Reads the record. The first start on a database makes it; an empty database has nothing to migrate. */
const readOrMake = (connection: Connection): Promise<StoredSchema> =>
  findOrInsert(schemaOf(connection), SCHEMA._id, async () => {
    const version = await unrecordedVersion(connection);
    return { ...SCHEMA, version, ...(version > 0 && { release: ownVersion() }) };
  });

const newLease = (holder: string, clock: Clock) => ({ holder, until: new Date(clock.now() + LEASE_MILLIS) });

/** @returns false if another instance that lives has it */
async function takeLease(schema: SchemaCollection, holder: string, clock: Clock): Promise<boolean> {
  // A lease that has no such time would be waited for without end: a clock was wrong, or the record is damaged.
  const isHeld = { $gte: new Date(clock.now()), $lte: new Date(clock.now() + MAX_LEASE_MILLIS) };
  const isFree = { $nor: [{ 'lease.until': isHeld }] };
  const take = { $set: { lease: newLease(holder, clock) } };
  return (await schema.updateOne({ ...SCHEMA, ...isFree }, take)).matchedCount === 1;
}

/** Renews the lease until `stop`. A renewal that fails does no harm: a step can be done twice. */
function keepLease(schema: SchemaCollection, holder: string, clock: Clock): () => void {
  const renew = () => {
    cancel = clock.after(RENEWAL_MILLIS, renew);
    const renewed = { $set: { lease: newLease(holder, clock) } };
    schema.updateOne({ ...SCHEMA, 'lease.holder': holder }, renewed).catch(() => {});
  };
  let cancel = clock.after(RENEWAL_MILLIS, renew);
  return () => cancel();
}

/** Does the steps that are missing. It records each, and ends early if another instance has taken the lease over. */
async function runSteps(
  connection: Connection,
  holder: string,
  { log, signal }: Omit<Migrating, 'clock'>,
): Promise<void> {
  const schema = schemaOf(connection);
  const models = createModels(connection);
  const mine = { ...SCHEMA, 'lease.holder': holder };
  for (let own = await schema.findOne(mine); own; own = await schema.findOne(mine)) {
    const step = MIGRATIONS[own.version];
    if (!step) {
      return;
    }
    const notes = await step(models, signal);
    const version = own.version + 1;
    await schema.updateOne({ ...mine, version: own.version }, { $set: { version, release: ownVersion() } });
    log?.info({ version }, 'the database has a new schema version');
    for (const note of notes) {
      log?.warn({ version }, note);
    }
  }
}
