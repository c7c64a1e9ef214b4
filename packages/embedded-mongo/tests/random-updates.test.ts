import { Decimal128, Double, Int32 } from 'bson';
import type { Document } from 'mongodb';
import { useEngine } from './support/engine.ts';
import {
  anyDocument,
  anyNumber,
  anyScalar,
  anyValue,
  type Chance,
  type Doc,
  shown,
  type Value,
} from './support/model.ts';
import { bytesOf, chanceFor, expectSame, fill, storedById } from './support/random-run.ts';
import { reach } from './support/reference-find.ts';
import { renamed, updated } from './support/reference-update.ts';

/** Random updates against references of a few lines; see random.test.ts. */
const mongo = useEngine(process.env.TEST_MONGODB_URI);
const db = () => mongo.client.db('test');

const PATHS = ['a', 'b', 'v', '0', 'a.x', 'a.0', 'v.1', 'v.0.x', 'a.x.y', 'b.1.0', 'v.0.0', 'b.x.1', 'n.m'];
const OPERATORS = ['$set', '$unset', '$inc', '$push', '$pull', '$addToSet', '$pop', '$min', '$max'];

/** A statement of an update with what must come of it: the document, or the code of an error. */
interface Expected {
  statement: Document;
  before: Doc;
  after: Doc | number;
}

function someDocument(chance: Chance, id: number): Doc {
  return new Map<string, Value>([['_id', new Int32(id)], ...anyDocument(chance, ['a', 'b', 'v', '0'])]);
}

function operandFor(operator: string, chance: Chance): Value {
  switch (operator) {
    case '$inc': {
      const number = anyNumber(chance);
      return number instanceof Decimal128 ? new Double(0.5) : number;
    }
    case '$pop':
      return new Int32(chance.pick([1, -1]));
    case '$pull':
      return anyScalar(chance);
    default:
      return anyValue(chance, 1);
  }
}

function anyUpdate(chance: Chance, id: number): Expected {
  const before = someDocument(chance, id);
  const [operator, path] = [chance.pick(OPERATORS), chance.pick(PATHS)];
  const operand = operandFor(operator, chance);
  const statement = { q: { _id: id }, u: { [operator]: { [path]: operand } } };
  return { statement, before, after: updated(before, operator, path, operand) };
}

/** A decimal has many forms of one number, so sums with them are left to the table of truth. */
function hasDecimalSum({ statement, before }: Expected): boolean {
  const [path] = Object.keys(statement.u.$inc ?? {});
  return (
    path !== undefined && reach(before, path.split('.'), false).some((each) => each instanceof Decimal128)
  );
}

/**
 * Runs the statements in one command and compares every document and every error.
 * @param orders of the fields that are right, too
 */
async function expectAll(name: string, expected: Expected[], orders: string[][] = []): Promise<void> {
  const updates = expected.map(({ statement }) => statement);
  const reply = await db().command({ update: name, ordered: false, updates });
  const errors = new Map((reply.writeErrors ?? []).map((each: Document) => [each.index, Number(each.code)]));
  const stored = await storedById(db(), name);
  for (const [index, { statement, before, after }] of expected.entries()) {
    const failed = typeof after === 'number';
    const found = stored.get(Number(statement.q._id));
    expectSame(
      () => ({ update: shown(statement.u), query: shown(statement.q), before: shown(before) }),
      [errors.get(index), found],
      failed
        ? [after, expectedBytes(before)]
        : [undefined, inOrders(after, orders).find((bytes) => bytes === found) ?? expectedBytes(after)],
    );
  }
}

/** The bytes of a document with its fields in several orders. */
const inOrders = (document: Doc, orders: string[][]) =>
  orders.map((names) => bytesOf(new Map(names.map((name) => [name, document.get(name) as Value]))));

/** A document that was not there and is not inserted has no bytes. */
const expectedBytes = (document: Doc) => (document.size > 0 ? bytesOf(document) : undefined);

test('an operator at a path does what the reference does', async () => {
  const chance = chanceFor(4);
  for (let round = 0; round < 5; round += 1) {
    const expected = Array.from({ length: 200 }, (_, id) => anyUpdate(chance, id)).filter(
      (each) => !hasDecimalSum(each),
    );
    await fill(
      db(),
      'update',
      expected.map(({ before }) => before),
      [{ a: 1 }, { v: -1 }],
    );
    await expectAll('update', expected);
    await expectIndexes('update', chance);
  }
});

/** After the writes, the indexes give what a scan gives. */
async function expectIndexes(name: string, chance: Chance): Promise<void> {
  const idsWith = async (filter: Document, hint: Document) => {
    const found = await mongo
      .collection(name)
      .find(filter, { hint, projection: { _id: 1 } })
      .toArray();
    return found.map(({ _id }) => Number(_id)).sort((one, other) => one - other);
  };
  for (let each = 0; each < 10; each += 1) {
    const [path, hint] = chance.pick<[string, Document]>([
      ['a', { a: 1 }],
      ['v', { v: -1 }],
    ]);
    const filter = { [path]: { [chance.pick(['$eq', '$gte', '$lt'])]: anyValue(chance, 1) } };
    const [given, expected] = [await idsWith(filter, hint), await idsWith(filter, { $natural: 1 })];
    expectSame(() => ({ hint, filter: shown(filter) }), given, expected);
  }
}

test('an update counts the documents that it changes', async () => {
  const chance = chanceFor(5);
  for (let round = 0; round < 60; round += 1) {
    const { before, statement, after } = anyUpdate(chance, 1);
    if (typeof after === 'number' || statement.u.$unset || hasDecimalSum({ before, statement, after })) {
      continue;
    }
    await fill(db(), 'count', [before]);
    const reply = await db().command({ update: 'count', updates: [statement] });
    expectSame(
      () => ({ update: shown(statement.u), before: shown(before) }),
      [reply.n, reply.nModified],
      [1, bytesOf(before) === bytesOf(after) ? 0 : 1],
    );
  }
});

test('$rename moves a field and overwrites another at its place', async () => {
  const chance = chanceFor(6);
  const throughArray = (document: Doc, path: string) => {
    const parents = path.split('.').slice(0, -1);
    const values = parents.map((_, at) => reach(document, parents.slice(0, at + 1), false)[0]);
    return values.some((value) => value !== undefined && !(value instanceof Map));
  };
  const expected: Expected[] = [];
  for (let id = 0; id < 200; id += 1) {
    const before = someDocument(chance, id);
    const [from, to] = chance.pick([
      ['a', 'b'],
      ['b', 'a'],
      ['a.x', 'v'],
      ['0', 'n.m'],
      ['a.x', 'b.y'],
      ['v', 'a.1'],
      ['a.0', 'z'],
    ] as const);
    if (!throughArray(before, from) && !throughArray(before, to)) {
      const statement = { q: { _id: id }, u: { $rename: { [from]: to } } };
      expected.push({ statement, before, after: renamed(before, from, to) });
    }
  }
  await fill(
    db(),
    'rename',
    expected.map(({ before }) => before),
  );
  await expectAll('rename', expected);
});

test('$set adds fields in the order of their names, numbers in the order of numbers', async () => {
  const chance = chanceFor(7);
  const expected = Array.from({ length: 100 }, (_, id): Expected => {
    const before: Doc = new Map<string, Value>([
      ['_id', new Int32(id)],
      ['k', null],
    ]);
    const numbers = chance.happens(0.5);
    const names = (numbers ? ['9', '10', '100', '2'] : ['b', 'a', 'ab', 'B']).filter(() =>
      chance.happens(0.7),
    );
    const sorted = numbers ? [...names].sort((one, other) => Number(one) - Number(other)) : [...names].sort();
    const fields = (list: string[]) => list.map((name): [string, Value] => [name, name]);
    const statement = { q: { _id: id }, u: { $set: new Map([...fields(names), ['k', null]]) } };
    return { statement, before, after: new Map([...before, ...fields(sorted)]) };
  });
  await fill(
    db(),
    'order',
    expected.map(({ before }) => before),
  );
  await expectAll('order', expected);
});

test('an upsert inserts the equal values of its query and the fields of its update', async () => {
  const chance = chanceFor(8);
  const expected = Array.from({ length: 200 }, (_, id): Expected => {
    const value = () => anyValue(chance);
    const [a, b, c, d, e] = [value(), value(), value(), value(), value()];
    const q = {
      c: { $eq: c },
      $and: [{ b: { $eq: b } }, { z: { $gt: 5 } }],
      'a.y': { $eq: a },
      _id: id,
      y: { $ne: 1 },
    };
    const after: Doc = new Map<string, Value>([
      ['_id', new Int32(id)],
      ['a', new Map([['y', a]])],
      ['b', b],
      ['c', c],
      ['d', d],
      ['e', e],
    ]);
    return {
      statement: { q, u: { $set: { e }, $setOnInsert: { d } }, upsert: true },
      before: new Map(),
      after,
    };
  });
  await fill(db(), 'upsert', [new Map([['_id', 'other']])]);
  // MongoDB gives the fields that it takes from the query no order; the engine has one.
  const orders = process.env.TEST_MONGODB_URI
    ? ['abc', 'acb', 'bac', 'bca', 'cab', 'cba'].map((names) => ['_id', ...names, 'd', 'e'])
    : [];
  await expectAll('upsert', expected, orders);
});
