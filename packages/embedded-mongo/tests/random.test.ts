import type { Document } from 'mongodb';
import { useEngine } from './support/engine.ts';
import {
  anyNumber,
  anyScalar,
  anyValue,
  type Chance,
  type Doc,
  idOf,
  shown,
  someDocuments,
} from './support/model.ts';
import { bytesFrom, bytesOf, chanceFor, expectSame, fill } from './support/random-run.ts';
import { type Filter, matches } from './support/reference-find.ts';
import { compareBy } from './support/reference-results.ts';

/**
 * Random documents and commands against references of a few lines, which come from MongoDB's manual. With TEST_MONGODB_URI they
 * judge that server. SEED repeats a failure.
 */
const mongo = useEngine(process.env.TEST_MONGODB_URI);
const db = () => mongo.client.db('test');

const PATHS = ['a', 'b', 'c', 'a.x', 'a.0', 'a.1', 'a.x.y', 'b.0.x', 'b.1.0', 'b.x', 'b.y.1'];
const INDEXES: Document[] = [{ a: 1 }, { b: -1 }, { c: 1, a: -1 }, { 'a.x': 1 }, { 'b.x': -1, c: 1 }];

function anyCondition(chance: Chance): Record<string, unknown> {
  const value = () => anyValue(chance, 2);
  const compared = () => ({ [chance.pick(['$eq', '$gt', '$gte', '$lt', '$lte'])]: value() });
  return chance.pick<() => Record<string, unknown>>([
    compared,
    compared,
    () => ({ $gte: anyNumber(chance), $lt: anyNumber(chance) }),
    () => ({ $ne: value() }),
    () => ({ [chance.pick(['$in', '$nin', '$all'])]: [value(), value(), null].slice(chance.below(3)) }),
    () => ({ $exists: chance.happens(0.5) }),
    () => ({ $size: chance.below(3) }),
    () => ({ $not: compared() }),
    () => ({ $elemMatch: { ...compared(), ...compared() } }),
  ])();
}

function anyFilter(chance: Chance, depth = 0): Filter {
  if (depth < 2 && chance.happens(0.2)) {
    const parts = Array.from({ length: 1 + chance.below(2) }, () => anyFilter(chance, depth + 1));
    return { [chance.pick(['$and', '$or', '$nor'])]: parts };
  }
  const paths = PATHS.filter(() => chance.happens(0.12));
  return Object.fromEntries(paths.map((path) => [path, anyCondition(chance)]));
}

test('find gives the same with each index as without, and what the reference says', async () => {
  const chance = chanceFor(1);
  for (let round = 0; round < 4; round += 1) {
    const documents = someDocuments(chance, 60);
    await fill(db(), 'find', documents, INDEXES);
    for (let each = 0; each < 30; each += 1) {
      const filter = anyFilter(chance);
      const ids = documents.filter((document) => matches(document, filter)).map(idOf);
      for (const hint of [{ $natural: 1 }, chance.pick(INDEXES), chance.pick(INDEXES), undefined]) {
        const options = { ...(hint && { hint }), projection: { _id: 1 } };
        const found = await mongo
          .collection('find')
          .find(filter as Document, options)
          .toArray();
        const given = found.map(({ _id }) => Number(_id)).sort((one, other) => one - other);
        expectSame(
          () => ({ filter: shown(filter), hint, ...differences(given, ids, documents) }),
          given,
          ids,
        );
      }
    }
  }
});

function differences(given: number[], expected: number[], documents: Doc[]): Document {
  const without = (ids: number[], others: number[]) =>
    ids.filter((id) => !others.includes(id)).map((id) => shown(documents[id]));
  return { missing: without(expected, given), tooMany: without(given, expected) };
}

test('sort gives the order of the reference, with an index and without', async () => {
  const chance = chanceFor(2);
  for (let round = 0; round < 3; round += 1) {
    const documents = someDocuments(chance, 60).map((document) =>
      document.set('o', chance.happens(0.7) ? new Map([['x', anyScalar(chance)]]) : anyScalar(chance)),
    );
    await fill(db(), 'sort', documents, [{ a: 1 }, { b: -1 }, { 'o.x': 1 }]);
    for (const [path, index] of Object.entries(SORTED)) {
      for (const direction of [1, -1] as const) {
        await expectOrder(documents, path, direction, index);
      }
    }
  }
});

/** The paths to sort by, and an index for each. `o.x` never goes through an array. */
const SORTED: Record<string, Document> = {
  a: { a: 1 },
  b: { b: -1 },
  'o.x': { 'o.x': 1 },
  '7': { $natural: 1 },
};

async function expectOrder(
  documents: Doc[],
  path: string,
  direction: 1 | -1,
  index: Document,
): Promise<void> {
  const order = compareBy(path.split('.'), direction);
  const ordered = [...documents].sort((one, other) => order(one, other) || idOf(one) - idOf(other));
  const expected = ordered.map(bytesOf);
  const sort: [string, 1 | -1][] = [
    [path, direction],
    ['_id', 1],
  ];
  for (const hint of [index, { $natural: 1 }, undefined]) {
    const options = { sort, ...(hint && { hint }), raw: true };
    const given = await bytesFrom(mongo.collection('sort').find({}, options));
    expectSame(() => ({ sort, hint }), given, expected);
  }
}
