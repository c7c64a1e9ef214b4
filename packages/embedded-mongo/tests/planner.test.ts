import { BSONRegExp, Decimal128, Double, Long, MaxKey, MinKey } from 'bson';
import type { Filter } from 'mongodb';
import { intervalsOf } from '../src/query/key-ranges.ts';
import { planQuery } from '../src/query/planner.ts';
import type { Collection } from '../src/storage/collection.ts';
import { openBareEngine } from './support/bare-engine.ts';
import { type Document, useEngine } from './support/engine.ts';
import { randomFrom } from './support/random.ts';

describe('the planner', () => {
  const mongo = useEngine();
  const seed = Number(process.env.PLANNER_SEED ?? 1);
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

  const scalar = () =>
    pick<() => unknown>([
      () => Math.floor(random() * 6),
      () => new Double(Math.floor(random() * 6)),
      () => Long.fromNumber(Math.floor(random() * 6)),
      () => Decimal128.fromString(String(Math.floor(random() * 12) / 2)),
      () => pick(['a', 'ab', 'abc', 'b', '']),
      () => null,
      () => pick([true, false]),
      () => new Date(Math.floor(random() * 4)),
      () => ({ x: Math.floor(random() * 2) }),
    ])();
  /** Some values are no operand of most operators. */
  const stored = () =>
    random() < 0.1
      ? pick<unknown>([NaN, new BSONRegExp('^a'), new BSONRegExp('^ab', 'i'), new MinKey(), new MaxKey()])
      : scalar();
  const value = (depth = 0): unknown => {
    if (depth < 2 && random() < 0.15) {
      return Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1));
    }
    if (depth < 2 && random() < 0.1) {
      return { b: value(depth + 1), c: value(depth + 1) };
    }
    return stored();
  };
  const oneArray = (document: Document): Document => {
    // A compound index cannot have two arrays of one document, so only one field may hold arrays.
    const allowed = pick(['a', 'b', 'c']);
    const flat = ['a', 'b', 'c'].map((name) => [name, name === allowed ? document[name] : stored()]);
    return Object.fromEntries(flat.filter(() => random() < 0.8));
  };

  const condition = () =>
    pick<() => unknown>([
      scalar,
      () => ({ $in: [scalar(), scalar(), scalar()] }),
      () => ({ $gt: scalar() }),
      () => ({ $gte: scalar(), $lt: scalar() }),
      () => ({ $lte: scalar() }),
      () => ({ $exists: random() < 0.5 }),
      () => ({ $ne: scalar() }),
      () => ({ $regex: pick(['^a', '^ab', 'b$', '^ab?', '^a|b']) }),
      () => ({ $not: { $gt: scalar() } }),
      () => ({ $elemMatch: { $gt: 1, $lt: 4 } }),
      () => ({ $elemMatch: { b: scalar() } }),
      () => ({ $elemMatch: { $elemMatch: { $gte: scalar() } } }),
      () => ({ $all: [scalar(), scalar()] }),
      () => ({ $all: [[scalar()]] }),
      () => ({ $eq: pick<unknown>([[], [[]], [1], [[1]], [null], {}, new BSONRegExp('^a')]) }),
      () => ({ $in: [[], [scalar()], null, new BSONRegExp('^a')] }),
      () => ({ $nin: [scalar(), null] }),
      () => ({ $gt: pick<unknown>([[], [1], {}, new MinKey(), NaN]) }),
      () => ({ $lt: pick<unknown>([[2], [[1]], new MaxKey(), {}]), $ne: scalar() }),
      () => ({ $not: { $elemMatch: { $ne: scalar() } } }),
      () => ({ $not: { $in: [null, scalar()] } }),
      () => ({ $type: pick(['string', 'null', 'array', 'number', 'object']) }),
      () => ({ $size: Math.floor(random() * 3) }),
      () => ({ $mod: [2, 1] }),
      () => new BSONRegExp(pick(['^a', '^ab']), pick(['', 'i'])),
    ])();
  const filter = (): Document => {
    const fields = ['a', 'b', 'c', 'a.b', 'b.c', 'a.0', 'a.0.b', 'a.1'].filter(() => random() < 0.25);
    const conditions = Object.fromEntries(fields.map((name) => [name, condition()]));
    if (random() < 0.2) {
      return { $and: [conditions, { a: condition() }] };
    }
    return random() < 0.2 ? { $or: [conditions, { b: condition() }, { c: condition() }] } : conditions;
  };
  /** It ends with _id, so that there is one right order. */
  const sort = (): Record<string, 1 | -1> => {
    const fields = ['a', 'b', 'c'].filter(() => random() < 0.4);
    return Object.fromEntries([...fields, '_id'].map((name) => [name, pick([1, -1] as const)]));
  };

  const INDEXES: [key: Record<string, 1 | -1>, options: object][] = [
    [{ a: 1 }, {}],
    [{ a: 1, _id: 1 }, {}],
    [{ a: 1, b: -1, _id: 1 }, {}],
    [{ b: -1, _id: -1 }, { sparse: true }],
    [{ c: 1, a: 1, _id: -1 }, {}],
    [{ 'a.b': 1 }, {}],
    [{ 'b.c': -1, a: 1 }, {}],
    [{ 'a.b': -1, _id: 1 }, { sparse: true }],
    [{ 'a.0': 1 }, {}],
    [{ c: 1 }, { sparse: true }],
    [{ 'b.c': 1 }, { partialFilterExpression: { 'b.c': { $exists: true } } }],
    [{ c: -1, _id: 1 }, { partialFilterExpression: { a: { $exists: true } } }],
    [{ b: 1, c: 1 }, { partialFilterExpression: { b: { $type: 'string' } } }],
    [{ a: 1, _id: -1 }, { partialFilterExpression: { a: { $gt: 1 } } }],
    [{ b: -1, a: 1, _id: 1 }, { partialFilterExpression: { b: { $gte: '', $lt: 'b' } } }],
    [{ c: 1, _id: 1 }, { partialFilterExpression: { $and: [{ c: { $lte: 4 } }, { a: { $exists: true } }] } }],
    [{ _id: 1, b: 1 }, { partialFilterExpression: { a: 2 } }],
  ];

  test('a number in a path is also a name, which an index on it does not have', async () => {
    const collection = mongo.collection('numbered');
    await collection.createIndex({ 'a.0.b': 1 });
    await collection.insertOne({ a: [{ b: 1 }] });
    expect(await collection.find({ 'a.0.b': null }, { hint: 'a.0.b_1' }).toArray()).toHaveLength(1);
  });

  test('a look-up of a unique key finds what a scan finds', async () => {
    const collection = mongo.collection('unique');
    await collection.createIndex({ u: -1, 'v.w': 1 }, { unique: true });
    await collection.createIndex({ u: 1 }, { unique: true });
    const values = [
      1,
      1.5,
      'a',
      'x'.repeat(3000),
      { x: 1 },
      { x: 1, y: 2 },
      new Date(5),
      true,
      new MinKey(),
      {},
    ];
    await collection.insertMany([{ v: [] }, ...values.map((u, i) => ({ u, v: { w: i % 3 ? i : null } }))]);
    const asked = [...values, new Double(1), Long.ONE, Decimal128.fromString('1.0'), null, { y: 2, x: 1 }];
    for (const u of asked) {
      for (const query of [{ u }, { u: { $in: [u, 'a'] } }, { u, 'v.w': null }, { u, v: { $ne: 1 } }]) {
        const planned = await collection.find(query as Document).toArray();
        const scanned = await collection.find(query as Document, { hint: { $natural: 1 } }).toArray();
        const byId = (a: Document, b: Document) => String(a._id).localeCompare(String(b._id));
        expect({ query, found: planned.sort(byId) }).toEqual({ query, found: scanned.sort(byId) });
      }
    }
  });

  interface Numbered {
    _id: number;
    a?: unknown;
  }

  for (const withArrays of [false, true]) {
    test(`queries with indexes find what a scan finds${withArrays ? ', in documents with arrays' : ''} (seed ${seed})`, async () => {
      const collection = mongo.client.db('test').collection<Numbered>(`planned${withArrays}`);
      const documents = Array.from({ length: 300 }, (_, _id) => {
        const shape = withArrays
          ? oneArray({ a: value(), b: value(), c: value() })
          : { a: stored(), b: stored(), c: stored() };
        return { ...shape, _id };
      });
      for (const [key, options] of INDEXES) {
        await collection.createIndex(key, options);
      }
      await collection.insertMany(documents);
      for (let i = 0; i < 150; i++) {
        const [query, order] = [filter() as Filter<Numbered>, sort()];
        const options = { sort: order, projection: { _id: 1 } };
        const planned = await collection.find(query, options).toArray();
        const scanned = await collection.find(query, { ...options, hint: { $natural: 1 } }).toArray();
        expect({ query, order, ids: planned }).toEqual({ query, order, ids: scanned });
      }
    });
  }
});

describe('a partial index', () => {
  const mongo = useEngine();
  const database = () => mongo.client.db('test');
  beforeAll(() =>
    database().command({
      createIndexes: 'partial',
      indexes: [
        { key: { by: 1, at: 1 }, name: 'by', partialFilterExpression: { by: { $gt: '' } } },
        { key: { n: 1 }, name: 'n', partialFilterExpression: { n: { $gte: 5, $lt: 9 } } },
        { key: { at: -1, _id: 1 }, name: 'open', partialFilterExpression: { state: 'open' } },
      ],
    }),
  );
  const stagesOf = async (filter: Document, sort: Document) => {
    const explain = { find: 'partial', filter, sort };
    const { queryPlanner } = await database().command({ explain, verbosity: 'queryPlanner' });
    const { stage, inputStage } = queryPlanner.winningPlan;
    return [stage, inputStage?.indexName, inputStage?.direction];
  };

  test.each<[string, Document, Document, string | undefined]>([
    ['an equal value', { by: 'x' }, {}, 'by'],
    ['several equal values', { by: { $in: ['x', 'y'] } }, {}, 'by'],
    ['a range within it', { by: { $gte: 'a' } }, {}, 'by'],
    ['its own range', { by: { $gt: '' } }, {}, 'by'],
    ['the order behind an equal value', { by: 'x' }, { at: -1 }, 'by'],
    ['a value within two bounds', { n: 5 }, {}, 'n'],
    ['a range within two bounds', { n: { $gt: 5, $lte: 8 } }, {}, 'n'],
    ['a condition in an $and', { $and: [{ n: 6 }, { at: 1 }] }, {}, 'n'],
    ['only an order', { state: 'open' }, { at: -1, _id: 1 }, 'open'],
    ['no value at its end', { by: '' }, {}, undefined],
    ['no value of another type', { by: 7 }, {}, undefined],
    ['no values of which one is outside', { by: { $in: ['x', null] } }, {}, undefined],
    ['no wider range', { n: { $gte: 5, $lte: 9 } }, {}, undefined],
    ['no NaN', { n: Number.NaN }, {}, undefined],
    ['no array', { by: ['x'] }, {}, undefined],
    ['no branch of an $or', { $or: [{ by: 'x' }, { at: 1 }] }, {}, undefined],
    ['no order alone', {}, { at: -1 }, undefined],
  ])('serves %s', async (_, filter, sort, name) => {
    const [stage, used] = await stagesOf(filter, sort);
    expect(used).toBe(name);
    expect(stage === 'SORT').toBe(name === undefined && Object.keys(sort).length > 0);
  });

  test('serves its order backward', async () => {
    expect(await stagesOf({ by: 'x' }, { at: -1 })).toEqual(['FETCH', 'by', 'backward']);
  });
});

test('an index on a value goes before one on null, which most documents may have', async () => {
  const { engine, run, close } = openBareEngine();
  const indexes = [
    { key: { owner: 1, at: 1 }, name: 'owner' },
    { key: { digest: 1, at: 1 }, name: 'digest' },
  ];
  await run({ createIndexes: 'c', indexes });
  const collection = engine.catalog.find('test.c') as Collection;
  const { scans } = planQuery(collection, { owner: null, digest: 'd' }, { at: 1 });
  expect(scans.map(({ index }) => index.spec.name)).toEqual(['digest']);
  await close();
});

test('both ends of a range limit the scan of an index', () => {
  const from = { operator: '$gte', operand: 'ada' };
  const to = { operator: '$lt', operand: 'adb' };
  const prefix = { operator: '$regex', operand: '^ad' };
  const [lower] = intervalsOf([from], false) ?? [];
  const [upper] = intervalsOf([to], false) ?? [];
  const [within, same] = intervalsOf([prefix], false) ?? [];
  const both = [{ from: lower?.from, to: upper?.to, isPoint: false }];
  expect(same?.isPoint).toBe(true);
  expect(intervalsOf([from, to], false)).toEqual(both);
  expect(intervalsOf([to, from, prefix], false)).toEqual(both);
  expect(intervalsOf([prefix, from], false)).toEqual([{ from: lower?.from, to: within?.to, isPoint: false }]);
});
