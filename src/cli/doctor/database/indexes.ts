import { isDeepStrictEqual } from 'node:util';
import type { Model, mongo } from 'mongoose';
import type { Models } from '../../../stores/models.ts';
import { error, type Finding, note, ok, warning } from '../finding.ts';
import type { Bounded } from './topology.ts';

/** An index, as a server lists it. */
interface Index {
  name: string;
  key: object;
  unique?: boolean;
  sparse?: boolean;
  expireAfterSeconds?: number;
  partialFilterExpression?: object;
}

/** https://www.mongodb.com/docs/manual/reference/error-codes/: the collection does not exist. */
const NAMESPACE_NOT_FOUND = 26;

/** Compares the indexes of all collections with those that the gateway makes. */
export async function* indexFindings(
  models: Models,
  db: mongo.Db,
  bounded: Bounded,
): AsyncGenerator<Finding> {
  let isSound = true;
  let missingCollections = 0;
  const all = Object.values(models) as Model<unknown>[];
  for (const model of all) {
    const name = model.collection.collectionName;
    const found = await indexesOf(db, name, bounded);
    if (found === undefined) {
      missingCollections += 1;
      continue;
    }
    for (const finding of judgeIndexes(name, expectedOf(model), found)) {
      isSound = false;
      yield finding;
    }
  }
  if (missingCollections === all.length) {
    yield note('The database is empty: the first start makes collections and indexes.');
  } else if (missingCollections > 0) {
    yield note(`${missingCollections} collections do not exist yet: the next start makes them.`);
  } else if (isSound) {
    yield ok('All indexes are there, and no other one refuses or removes documents.');
  }
}

async function indexesOf(db: mongo.Db, name: string, bounded: Bounded): Promise<Index[] | undefined> {
  try {
    return (await bounded(db.collection(name).listIndexes().toArray())) as Index[];
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === NAMESPACE_NOT_FOUND) {
      return undefined;
    }
    throw failure;
  }
}

const expectedOf = (model: Model<unknown>): Index[] =>
  model.schema.indexes().map(([key, options]) => ({ ...(options as object), key, name: nameOf(key) }));

/** The default name of an index. */
const nameOf = (key: object): string => Object.entries(key).flat().join('_');

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
