import { BSON, Decimal128, type Document, Double, Int32 } from 'bson';
import { useEngine } from './support/engine.ts';
import {
  anyScalar,
  type Chance,
  type Doc,
  isNumeric,
  type Numeric,
  shown,
  someDocuments,
  type Value,
} from './support/model.ts';
import { type Bytes, bytesFrom, bytesOf, chanceFor, expectSame, fill } from './support/random-run.ts';
import { compare } from './support/reference-find.ts';
import { compute, exclude, include, type Projected, sum } from './support/reference-results.ts';

/** Random projections and groups against references of a few lines; see random.test.ts. */
const mongo = useEngine(process.env.TEST_MONGODB_URI);
const db = () => mongo.client.db('test');

test('projections keep and leave out what the reference does, in find and in $project', async () => {
  const chance = chanceFor(3);
  for (let round = 0; round < 20; round += 1) {
    const documents = someDocuments(chance, 30);
    const kept = chance.happens(0.5);
    const paths = chance.pick([
      ['a'],
      ['a.x'],
      ['a.x', 'b'],
      ['b.x.y', 'a.y', 'b.1'],
      ['a.0', '7'],
      ['a.x.1', 'a.x.y', 'c'],
    ]);
    const parts = [...paths, ...(kept ? ['_id'] : [])].map((path) => path.split('.'));
    const expected = documents.map((each) => bytesOf((kept ? include : exclude)(each, parts) as Doc));
    await expectProjected(documents, Object.fromEntries(paths.map((path) => [path, kept ? 1 : 0])), expected);
  }
});

/** Stores the documents, and expects these bytes of their projections. */
async function expectProjected(documents: Doc[], projection: Document, expected: Bytes[]): Promise<void> {
  await fill(db(), 'project', documents);
  const collection = mongo.collection('project');
  const found = await bytesFrom(collection.find({}, { projection, raw: true }));
  expectSame(() => ({ find: projection }), found, expected);
  const piped = await bytesFrom(collection.aggregate([{ $project: projection }], { raw: true }));
  expectSame(() => ({ aggregate: projection }), piped, expected);
}

test('computed fields stand where the reference has them, in find and in $project', async () => {
  const chance = chanceFor(10);
  for (let round = 0; round < 20; round += 1) {
    const documents = someDocuments(chance, 30);
    const projected: Projected[] = [[['_id']], ...chance.pick(COMPUTED)];
    const expected = documents.map((each) => bytesOf(compute(each, projected) as Doc));
    const projection = Object.fromEntries(
      projected.map(([path, value]) => [path.join('.'), value === undefined ? 1 : { $literal: value }]),
    );
    await expectProjected(documents, projection, expected);
  }
});

/** Names that the documents have, and others; computed beside kept ones, at both sides of them and inside them. */
const COMPUTED: Projected[][] = [
  [[['a', 'x'], 'new'], [['b']]],
  [
    [['z'], 'new'],
    [['b', 'p'], 'newer'],
  ],
  [
    [['b', 'x'], 'new'],
    [['z'], 'newer'],
    [['a', 'y'], 'newest'],
  ],
  [[['a', 'x']], [['z'], 'new'], [['a', 'p'], 'newer']],
  [[['b', 'x', 'y'], 'new'], [['a']], [['c', 'p', 'q'], 'newer']],
  [[['b'], 'new'], [['a']], [['c', 'x'], 'newer']],
];

test('$unwind, $group and $sum add what the reference adds', async () => {
  const chance = chanceFor(9);
  for (let round = 0; round < 15; round += 1) {
    const documents = Array.from({ length: 40 }, (_, id) => withGroup(chance, id));
    await fill(db(), 'group', documents);
    const pipeline = [{ $unwind: '$v' }, { $group: { _id: '$g', total: { $sum: '$v' }, n: { $sum: 1 } } }];
    const raw = await mongo.collection('group').aggregate(pipeline, { raw: true }).toArray();
    const given = raw.map((each) =>
      BSON.deserialize(each as unknown as Uint8Array, { promoteValues: false }),
    );
    const text = (list: Group[]) => list.map(({ key, total, n }) => shown([key, total, n]));
    const groups = given.map(({ _id, total, n }): Group => ({ key: _id, total, n }));
    const reference = grouped(documents).map(({ key, ...rest }) => {
      const same = groups.find((group) => compare(group.key, key) === 0);
      return { key: same?.key ?? key, ...rest };
    });
    expectSame(() => ({ round }), text(groups).sort(), text(reference).sort());
  }
});

/** A document with numbers, or with one, and a value to group by. Either may be missing. */
function withGroup(chance: Chance, id: number): Doc {
  const number = () =>
    chance.pick<() => Value>([
      () => new Int32(chance.below(9)),
      () => new Double(0.5),
      () => anyScalar(chance),
    ])();
  const values = Array.from({ length: chance.below(4) }, number).filter((each) => !isBig(each));
  const v = chance.happens(0.7) ? values : values[0];
  const g = chance.happens(0.9) ? anyScalar(chance) : undefined;
  return new Map<string, Value>([['_id', new Int32(id)], ...named('v', v), ...named('g', g)]);
}

interface Group {
  key: Value;
  total: Numeric;
  n: Numeric;
}

const named = (name: string, value: Value | undefined): [string, Value][] =>
  value === undefined ? [] : [[name, value]];

/** Numbers whose sums need more than the reference's few lines: decimals, and what a double cannot add exactly. */
const isBig = (value: Value) => value instanceof Decimal128 || (isNumeric(value) && Number(value) > 2 ** 40);

function grouped(documents: Doc[]): Group[] {
  const groups: { key: Value; values: Value[] }[] = [];
  for (const document of documents) {
    const v = document.get('v');
    const values = Array.isArray(v) ? v : v === undefined || v === null ? [] : [v];
    const key = document.get('g') ?? null;
    const group = groups.find((each) => compare(each.key, key) === 0);
    if (group) {
      group.values.push(...values);
    } else if (values.length > 0) {
      groups.push({ key, values: [...values] });
    }
  }
  return groups.map(({ key, values }) => ({
    key,
    total: sum(values.filter(isNumeric)),
    n: new Int32(values.length),
  }));
}
