import type { LimitedConnection } from '../../../database/exchange-limit.ts';
import { isSchemaVersion, SCHEMA_VERSION, SchemaStore } from '../../../stores/schema-version.ts';
import { error, type Finding, note, ok } from '../finding.ts';

/** Whether this release can work with the database, and what its start would change. */
export async function judgeSchema(database: LimitedConnection): Promise<Finding> {
  const stored = await new SchemaStore(database).find();
  if (!stored) {
    return note('The database has no schema version yet: the next start of this release records it.');
  }
  const { version, release } = stored;
  if (!isSchemaVersion(version)) {
    return error(
      'The record of the schema version is damaged: `version` in the collection `schema` is no whole number.',
      'Restore a backup, or set it to the version of the release that was started last.',
    );
  }
  if (version > SCHEMA_VERSION) {
    return error(
      `The schema of the database has version ${version}, of release ${release}. This release works with ${SCHEMA_VERSION}.`,
      'Start the other release, or restore a backup from before its first start.',
    );
  }
  return version < SCHEMA_VERSION
    ? note(
        `The next start migrates the schema of the database from version ${version} to ${SCHEMA_VERSION}.`,
        'Back up first: docs/operations.md, "Upgrade".',
      )
    : ok(`The schema of the database has version ${version}, that of this release.`);
}
