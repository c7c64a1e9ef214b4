import { isDeepStrictEqual } from 'node:util';
import type { LimitedConnection } from '../../database/exchange-limit.ts';
import { type Index, listIndexes, nameOf } from '../../stores/indexes.ts';
import { isSchemaVersion, SCHEMA_VERSION, SchemaStore } from '../../stores/schema-version.ts';
import { error, type Finding, note, ok, warning } from './check.ts';

/** Whether this release can work with the database, and what its start would change. */
export async function judgeSchema(database: LimitedConnection): Promise<Finding> {
  const stored = await new SchemaStore(database).find();
  if (!stored) {
    return note('The database has no schema version yet: the next start of this release records it.');
  }
  const { version, release } = stored;
  if (!isSchemaVersion(version)) {
    return error(
      'The record of the schema version is damaged: `version` in the collection `schema` is not a whole number.',
      'Restore a backup, or set it to the version of the release that was started last.',
    );
  }
  if (version > SCHEMA_VERSION) {
    return error(
      `The database has schema version ${version}, from release ${release}. This release works with version ${SCHEMA_VERSION}.`,
      'Start that release, or restore a backup from before its first start.',
    );
  }
  return version < SCHEMA_VERSION
    ? note(
        `The next start migrates the database from schema version ${version} to ${SCHEMA_VERSION}.`,
        'Back up first: docs/operations.md, "Upgrade".',
      )
    : ok(`The database has schema version ${version}, the one of this release.`);
}

/** Compares the indexes of all collections with those that the gateway makes. */
export async function* indexFindings(database: LimitedConnection): AsyncGenerator<Finding> {
  let isSound = true;
  let collections = 0;
  let missingCollections = 0;
  for await (const { collection, wanted, found } of listIndexes(database)) {
    collections += 1;
    if (found === undefined) {
      missingCollections += 1;
      continue;
    }
    for (const finding of judgeIndexes(collection, wanted, found)) {
      isSound = false;
      yield finding;
    }
  }
  if (missingCollections === collections) {
    yield note('The database is empty: the first start creates the collections and indexes.');
  } else if (missingCollections > 0) {
    yield note(`${missingCollections} collections do not exist yet: the next start creates them.`);
  } else if (isSound) {
    yield ok('All indexes exist, and no other index rejects or removes documents.');
  }
}

/**
 * @param collection its name
 * @param expected the indexes that the gateway makes
 * @param found all indexes of the collection
 */
export function* judgeIndexes(collection: string, expected: Index[], found: Index[]): Generator<Finding> {
  const others = found.filter(({ name }) => name !== '_id_');
  for (const index of expected) {
    const same = others.find(({ key }) => nameOf(key) === nameOf(index.key));
    if (!same) {
      yield warning(
        `The index ${nameOf(index.key)} of ${collection} is missing.`,
        'Restart a gateway: it creates missing indexes.',
      );
    } else if (!isDeepStrictEqual(rulesOf(same), rulesOf(index))) {
      yield error(
        `The index ${same.name} of ${collection} does not have the options that the gateway needs.`,
        `Drop it (db.${collection}.dropIndex('${same.name}')) while no gateway runs. The next start creates it.`,
      );
    }
  }
  yield* others
    .filter(({ key }) => !expected.some((index) => nameOf(index.key) === nameOf(key)))
    .flatMap((index) => judgeForeign(collection, index));
}

const rulesOf = ({ unique = false, sparse = false, expireAfterSeconds, partialFilterExpression }: Index) => ({
  unique,
  sparse,
  expireAfterSeconds,
  partialFilterExpression,
});

/** An index of somebody else slows writes at most, unless it refuses or removes documents. */
function judgeForeign(collection: string, { name, key, unique, expireAfterSeconds }: Index): Finding[] {
  const todo = `If nothing needs it, drop it: db.${collection}.dropIndex('${name}').`;
  if (expireAfterSeconds !== undefined) {
    return [
      error(
        `The gateway did not create the index ${name}, which removes documents of ${collection} after a time (TTL).`,
        todo,
      ),
    ];
  }
  // With the id in it, no two documents are equal.
  return unique && !('_id' in key)
    ? [
        error(
          `The gateway did not create the unique index ${name}, which rejects documents of ${collection}.`,
          todo,
        ),
      ]
    : [];
}
