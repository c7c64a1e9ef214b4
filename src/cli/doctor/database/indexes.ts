import { isDeepStrictEqual } from 'node:util';
import type { LimitedConnection } from '../../../database/exchange-limit.ts';
import { type Index, listIndexes, nameOf } from '../../../stores/indexes.ts';
import { error, type Finding, note, ok, warning } from '../finding.ts';

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
    yield note('The database is empty: the first start makes collections and indexes.');
  } else if (missingCollections > 0) {
    yield note(`${missingCollections} collections do not exist yet: the next start makes them.`);
  } else if (isSound) {
    yield ok('All indexes are there, and no other one refuses or removes documents.');
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
        'Restart a gateway: its start makes it.',
      );
    } else if (!isDeepStrictEqual(rulesOf(same), rulesOf(index))) {
      yield error(
        `The index ${same.name} of ${collection} has other options than the gateway needs.`,
        `Drop it (db.${collection}.dropIndex('${same.name}')) while no gateway runs; the next start makes it.`,
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
  const todo = `If nothing needs it: db.${collection}.dropIndex('${name}').`;
  if (expireAfterSeconds !== undefined) {
    return [
      error(
        `The index ${name}, which is not the gateway's, removes documents of ${collection} after a time.`,
        todo,
      ),
    ];
  }
  // With the id in it, no two documents are equal.
  return unique && !('_id' in key)
    ? [
        error(
          `The unique index ${name}, which is not the gateway's, refuses documents of ${collection}.`,
          todo,
        ),
      ]
    : [];
}
