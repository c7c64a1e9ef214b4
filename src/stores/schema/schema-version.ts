import type { Connection } from 'mongoose';
import { ownVersion } from '../../system/own-package.ts';
import { AccountStore } from '../accounts/accounts.ts';
import { MIGRATIONS } from './migrations.ts';
import { SchemaStore, type StoredSchema } from './schema-store.ts';

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
export function demandKnown({ version, release }: StoredSchema): void {
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
export const unrecordedVersion = async (connection: Connection): Promise<number> =>
  (await new AccountStore({ connection }).isEmpty()) ? SCHEMA_VERSION : 0;
