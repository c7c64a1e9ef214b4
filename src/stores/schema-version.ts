import { randomUUID } from 'node:crypto';
import { type Connection, Schema } from 'mongoose';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { type Clock, pause } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { ownVersion } from '../system/own-package.ts';
import { AccountStore } from './accounts.ts';
import { pagesOf } from './bulk-records.ts';
import { DoctorStore } from './doctors.ts';
import { dropIndex } from './indexes.ts';
import { PAGE_SIZE, Store } from './store.ts';

/**
 * A step from one schema version to the next. A process may die within it, and another one then begins it again: what is done
 * already must stay as it is. Gateways of the version before may run beside it.
 * @param connection without a time limit on exchanges
 * @param signal ends it early; the step throws its reason
 * @returns sentences for the operator about what it has left to do; they go to the log
 */
type Migration = (connection: Connection, signal: AbortSignal | undefined) => Promise<string[]>;

/**
 * Gives accounts with an international domain the key that logins look for. Before, their keys had the domain as it was typed,
 * and each look-up asked for all possible forms.
 */
const asciiEmailKeys: Migration = async (connection, signal) =>
  (await new AccountStore({ connection }).renewEmailKeys(signal)).map(
    (id) =>
      `Account ${id} has the e-mail of another account. It can log in once it has a new one: auth-gateway admin accounts set-email --account ${id} --to NEW`,
  );

/**
 * Removes indexes that others have replaced, which serve the same queries and their order, too. The start has made the new ones
 * by then, so the release before is as quick as it was.
 */
const replacedIndexes: Migration = async (connection) => {
  await dropIndex(connection, 'access_tokens', 'accountId_1');
  await dropIndex(connection, 'erasures', 'settledAt_1');
  return [];
};

/** Gives all accounts the fields by which an operator's search finds people. */
const searchFields: Migration = async (connection, signal) => {
  await new AccountStore({ connection }).addSearchFields(signal);
  return [];
};

/** Gives all doctors the keys of their license numbers, and marks their documents for the sweep, which makes the hashes. */
const matches: Migration = async (connection, signal) => {
  const { bulk } = new DoctorStore({ connection }, new AccountStore({ connection }));
  for await (const page of pagesOf(bulk, PAGE_SIZE)) {
    signal?.throwIfAborted();
    await bulk.replaceIfUnchanged(page.map((profile) => ({ before: profile, after: profile })));
  }
  return [];
};

/** All steps, from an empty or unversioned database on. Their number is the schema version of this gateway. Only add to the end. */
const MIGRATIONS: readonly Migration[] = [asciiEmailKeys, replacedIndexes, searchFields, matches];

/** The schema version that this release works with. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** False for a record that no release has written, such as after an import from another program. */
export const isSchemaVersion = (version: unknown): boolean =>
  typeof version === 'number' && Number.isInteger(version) && version >= 0;

/**
 * Call it before anything is changed.
 * @returns the stored version, undefined if there is none
 * @throws what {@link demandKnown} throws
 */
export async function refuseNewer(connection: Connection): Promise<number | undefined> {
  const stored = await new SchemaStore({ connection }).find();
  if (stored) {
    demandKnown(stored);
  }
  return stored?.version;
}

/**
 * @throws an error for people if a later release has migrated the database: this one does not know what has changed. Also if
 *   the record has no version: no migration would ever come to an end
 */
function demandKnown({ version, release }: StoredSchema): void {
  if (!isSchemaVersion(version)) {
    throw new Error(
      'the record of its schema version is damaged: `version` in the collection `schema` is no whole number. Restore a backup, or set it to that of the release that was started last.',
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `its schema has version ${version}, of release ${release}. This is release ${ownVersion()}, which works with version ${SCHEMA_VERSION}. Start the other release, or restore a backup from before its first start.`,
    );
  }
}

/**
 * Checks the schema for a command beside the gateway. Only a start of the gateway migrates.
 * @throws an error for people if it is not of this release. A database without accounts is
 */
export async function requireSchema(connection: Connection): Promise<void> {
  const version = (await refuseNewer(connection)) ?? (await unrecordedVersion(connection));
  if (version < SCHEMA_VERSION) {
    throw new Error(
      `its schema has version ${version}, and release ${ownVersion()} works with version ${SCHEMA_VERSION}. Start the gateway of this release first: it migrates the database.`,
    );
  }
}

/** The version of a database without a record. Releases before 1.0.0 made none; a database without accounts is new. */
const unrecordedVersion = async (connection: Connection): Promise<number> =>
  (await new AccountStore({ connection }).isEmpty()) ? SCHEMA_VERSION : 0;

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

/**
 * Brings the schema of the database to the version of this release. If several instances start, one of them does it and the
 * others wait for it.
 * @param connection without a time limit on exchanges
 * @throws what a step throws; the next start resumes with it. What {@link demandKnown} throws
 */
export async function migrate(connection: Connection, { clock, log, signal }: Migrating): Promise<void> {
  const schema = new SchemaStore({ connection });
  const holder = randomUUID();
  for (let isWaiting = false; ; isWaiting = true) {
    const stored = await schema.findOrMake(async () => {
      // An empty database has nothing to migrate.
      const version = await unrecordedVersion(connection);
      return { version, ...(version > 0 && { release: ownVersion() }) };
    });
    // Meanwhile a later release may have started, too.
    demandKnown(stored);
    if (stored.version === SCHEMA_VERSION) {
      return;
    }
    if (await schema.takeLease(holder, clock.now())) {
      const stopRenewing = keepLease(schema, holder, clock);
      try {
        await runSteps(connection, holder, { log, signal });
      } finally {
        stopRenewing();
        await schema.releaseLease(holder);
      }
    } else {
      if (!isWaiting) {
        log?.info({ from: stored.version, to: SCHEMA_VERSION }, 'another instance migrates the database');
      }
      await pause(clock, LOOK_MILLIS, signal);
    }
  }
}

/** Renews the lease until `stop`. A renewal that fails does no harm: a step can be done twice. */
function keepLease(schema: SchemaStore, holder: string, clock: Clock): () => void {
  const renew = () => {
    cancel = clock.after(RENEWAL_MILLIS, renew);
    schema.renewLease(holder, clock.now()).catch(() => {});
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
  const schema = new SchemaStore({ connection });
  for (let own = await schema.findHeldBy(holder); own; own = await schema.findHeldBy(holder)) {
    const step = MIGRATIONS[own.version];
    if (!step) {
      return;
    }
    const notes = await step(connection, signal);
    const version = own.version + 1;
    await schema.advance(holder, own.version, ownVersion());
    log?.info({ version }, 'the database has a new schema version');
    for (const note of notes) {
      log?.warn({ version }, note);
    }
  }
}

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

export const schemaVersionSchema = new Schema<StoredSchema>(
  {
    _id: { type: String, required: true },
    version: { type: Number, required: true },
    release: String,
    lease: { type: { holder: { type: String, required: true }, until: { type: Date, required: true } } },
  },
  { collection: 'schema' },
);

const SCHEMA = { _id: 'schema' } as const;

/** An instance that has not renewed its lease for so long is taken for dead. Clocks of instances may differ by seconds. */
const LEASE_MILLIS = 60_000;
/** A longer one was not made by the clock of an instance that lives. */
const MAX_LEASE_MILLIS = 10 * LEASE_MILLIS;

/** Less than the driver's limits, so that the connection stays open. */
const CONFIRMATION_MILLIS = 800;

/** The one record about the schema. Only the holder of its lease migrates, and each step that is done counts the version up. */
export class SchemaStore extends Store<StoredSchema> {
  constructor(database: LimitedConnection) {
    super(database, schemaVersionSchema);
  }

  /** @returns undefined if no release has recorded a version yet */
  async find(): Promise<StoredSchema | undefined> {
    return this.records.first(SCHEMA);
  }

  /**
   * Reads the record so that a majority of the replica set confirms the primary first (database/confirmed-primary.ts).
   * @throws MaxTimeMSExpired (50) if no majority does so in time
   */
  async confirmPrimary(): Promise<void> {
    const options = { readConcern: { level: 'linearizable' }, maxTimeMS: CONFIRMATION_MILLIS } as const;
    await this.records.first(SCHEMA, options);
  }

  /** @param make returns the version of a database without a record, and the release that has made it if that is known */
  findOrMake(make: () => Promise<Pick<StoredSchema, 'version' | 'release'>>): Promise<StoredSchema> {
    return this.records.findOrInsert(SCHEMA._id, async () => ({ ...SCHEMA, ...(await make()) }));
  }

  /** @returns false if another instance that lives has the lease */
  async takeLease(holder: string, nowMillis: number): Promise<boolean> {
    // A lease that has no such time would be waited for without end: a clock was wrong, or the record is damaged.
    const isHeld = { $gte: new Date(nowMillis), $lte: new Date(nowMillis + MAX_LEASE_MILLIS) };
    const free = { ...SCHEMA, $nor: [{ 'lease.until': isHeld }] };
    const take = { $set: { lease: newLease(holder, nowMillis) } };
    return this.records.update(free, take);
  }

  /** Makes the lease of its holder last longer. */
  async renewLease(holder: string, nowMillis: number): Promise<void> {
    const renewed = { $set: { lease: newLease(holder, nowMillis) } };
    await this.records.update(heldBy(holder), renewed);
  }

  async releaseLease(holder: string): Promise<void> {
    const release = { $unset: { lease: true as const } };
    await this.records.update(heldBy(holder), release);
  }

  /** The record, as long as an instance has the lease; undefined if another one has taken it over. */
  async findHeldBy(holder: string): Promise<StoredSchema | undefined> {
    return this.records.first(heldBy(holder));
  }

  /** Records that a step is done, as long as an instance has the lease. */
  async advance(holder: string, from: number, release: string): Promise<void> {
    const change = { $set: { version: from + 1, release } };
    await this.records.update({ ...heldBy(holder), version: from }, change);
  }
}

const heldBy = (holder: string) => ({ ...SCHEMA, 'lease.holder': holder });

const newLease = (holder: string, nowMillis: number) => ({
  holder,
  until: new Date(nowMillis + LEASE_MILLIS),
});
