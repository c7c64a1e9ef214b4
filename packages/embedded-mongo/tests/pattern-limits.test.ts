import { BSONRegExp, type Document } from 'bson';
import { decode, encode } from '../src/values/bson-codec.ts';
import { openBareEngine } from './support/bare-engine.ts';

/**
 * Patterns that backtrack for minutes or for ever in JavaScript's RegExp. Nothing measures time here: a pattern that hangs, hangs
 * the test.
 */
const engine = openBareEngine();
afterAll(engine.close);
/** As over the wire, which knows BSON's patterns only. */
const run = (command: Document) => engine.run(decode(encode(command)));

const REFUSED = { ok: 0, code: 238 };
const LETTERS = 'a'.repeat(100_000);
const BACKTRACKING = [
  ...['(a+)+$', '(x+x+)+y', '(a|aa)+$', '(a{1,20}){1,20}$', '(.*)*(.*)*(.*)*b', 'a*a*a*a*a*b'],
  ...['^(?=a)(a+)+$', '^(?!(a+)+$)'],
];
const insert = (collection: string, documents: Document[]) =>
  engine.run({ insert: collection, documents: documents.map(encode) });

beforeAll(async () => {
  await insert('letters', [{ _id: 1, a: `${'a'.repeat(1000)}!`, items: [`${'a'.repeat(1000)}!`] }]);
  await insert('long', [{ _id: 1, a: LETTERS.repeat(160), items: [LETTERS] }]);
});

describe.each(BACKTRACKING)('%s', (pattern) => {
  const condition = (options = '') => new BSONRegExp(pattern, options);

  test.each(['', 'i'])('is answered in a filter, with the options "%s"', async (options) => {
    const filter = { a: condition(options) };
    expect(await run({ count: 'letters', query: filter })).toMatchObject({ ok: 1 });
  });

  test.each([
    ['$in', { find: 'letters', filter: { a: { $in: [condition()] } } }],
    ['$nin', { find: 'letters', filter: { a: { $nin: [condition()] } } }],
    ['$all', { find: 'letters', filter: { a: { $all: [condition()] } } }],
    ['$not', { find: 'letters', filter: { a: { $not: condition() } } }],
    ['$elemMatch', { find: 'letters', filter: { items: { $elemMatch: { $regex: pattern } } } }],
    ['$match', { aggregate: 'letters', pipeline: [{ $match: { a: condition() } }], cursor: {} }],
    ['distinct', { distinct: 'letters', key: '_id', query: { a: condition() } }],
    ['a projection', { find: 'letters', projection: { items: { $elemMatch: { $regex: pattern } } } }],
    [
      '$pull',
      { update: 'letters', updates: [{ q: {}, u: { $pull: { items: { $regex: `${pattern}b` } } } }] },
    ],
    [
      'the filter of an update',
      { update: 'letters', updates: [{ q: { a: condition() }, u: { $set: { b: 1 } } }] },
    ],
    [
      'an array filter',
      {
        update: 'letters',
        updates: [
          { q: {}, u: { $set: { 'items.$[x]': '' } }, arrayFilters: [{ x: { $regex: `${pattern}b` } }] },
        ],
      },
    ],
  ])('is answered in %s', async (_, command) => {
    expect(await run(command)).toMatchObject({ ok: 1 });
  });

  test('is refused on a string of 16 MB, and tested on no part of it', async () => {
    expect(await run({ count: 'long', query: { a: condition() } })).toMatchObject(REFUSED);
  });
});

test('a text is found in a string of 16 MB', async () => {
  expect(await run({ count: 'long', query: { a: /aaab/ } })).toMatchObject({ ok: 1, n: 0 });
  expect(await run({ count: 'long', query: { a: /^aaa/ } })).toMatchObject({ ok: 1, n: 1 });
});

test('a long text, whose search could take quadratic time, is refused on a string of 16 MB', async () => {
  const pattern = new BSONRegExp(`b${'a'.repeat(30_000)}`);
  expect(await run({ count: 'long', query: { a: pattern } })).toMatchObject(REFUSED);
});

test('the time of a filter on one document counts all its patterns and all elements', async () => {
  const items = Array.from({ length: 1000 }, () => 'ab'.repeat(5000));
  await insert('elements', [{ _id: 1, items }]);
  expect(await run({ count: 'elements', query: { items: /(a|b)*c/ } })).toMatchObject(REFUSED);
  const pulled = { q: {}, u: { $pull: { items: { $regex: '(a|b)*c' } } } };
  expect(await run({ update: 'elements', updates: [pulled] })).toMatchObject({
    writeErrors: [{ code: 238 }],
  });
  const projection = { items: { $elemMatch: { $regex: '(a|b)*c' } } };
  expect(await run({ find: 'elements', projection })).toMatchObject(REFUSED);
});

test('each document has this time for itself', async () => {
  const texts = Array.from({ length: 500 }, (_, _id) => ({ _id, a: 'ab'.repeat(5000) }));
  await insert('documents', texts);
  expect(await run({ count: 'documents', query: { a: /(a|b)*c/ } })).toMatchObject({ ok: 1, n: 0 });
});

const many = (count: number, item: (i: number) => unknown) =>
  Array.from({ length: count }, (_, i) => item(i));

test.each<[string, unknown]>([
  ['many alternatives', new BSONRegExp(many(6000, (i) => i).join('|'), 'i')],
  ['many repetitions', new BSONRegExp('a{1000}'.repeat(4000))],
  ['repetitions of repetitions', new BSONRegExp('((a{1,100}){1,100}){1,100}')],
  ['deep groups', new BSONRegExp('('.repeat(16_000) + ')'.repeat(16_000))],
  ['empty groups', new BSONRegExp('()'.repeat(16_000))],
  ['a large class', new BSONRegExp(`[${'é-ü'.repeat(4000)}]`, 'i')],
  ['many patterns', { $in: many(100_000, (i) => new BSONRegExp(`${i}.*x`)) }],
])('a filter with %s is refused', async (_, condition) => {
  expect(await run({ count: 'letters', query: { a: condition } })).toMatchObject(REFUSED);
});

test('a filter may have many texts', async () => {
  const texts = { $in: many(100_000, (i) => new BSONRegExp(`^${i}`)) };
  expect(await run({ count: 'letters', query: { a: texts } })).toMatchObject({ ok: 1, n: 0 });
});
