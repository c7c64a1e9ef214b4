import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { Clock } from '../../system/clock.ts';
import { pause } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import { ownVersion } from '../../system/own-package.ts';
import { MIGRATIONS } from './migrations.ts';
import { SchemaStore } from './schema-store.ts';
import { demandKnown, SCHEMA_VERSION, unrecordedVersion } from './schema-version.ts';

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
