import { BSONRegExp } from 'bson';
import { type Document, useEngine } from './support/engine.ts';
import { isOfVersion, versionOf } from './support/versions.ts';

/** `$regex` with `$options`: Extended JSON, and so the table of truth, has no way to write it. */
const mongo = useEngine(process.env.TEST_MONGODB_URI);
const version = await versionOf(process.env.TEST_MONGODB_URI);

type PatternCase = [name: string, condition: Document, expected: string[] | number];

/** Earlier versions ignore it (jstests/core/query/regex/regex_options.js, requires_fcv_51). */
const UNKNOWN_OPTION: PatternCase[] = isOfVersion(version, { since: '5.1' })
  ? [['an unknown option', { $regex: 'a', $options: 'g' }, 51108]]
  : [['an unknown option', { $regex: '^a', $options: 'g' }, ['abc']]];

const CASES: PatternCase[] = [
  ['a string', { $regex: '^a' }, ['abc']],
  ['a string with options', { $regex: '^A', $options: 'i' }, ['abc', 'ABC']],
  ['options first', { $options: 'i', $regex: '^A' }, ['abc', 'ABC']],
  ['options of a pattern', { $regex: new BSONRegExp('^a'), $options: 'i' }, ['abc', 'ABC']],
  [
    'no options before a pattern with options',
    { $options: '', $regex: new BSONRegExp('^A', 'i') },
    ['abc', 'ABC'],
  ],
  ['the option x', { $regex: '^ a b', $options: 'x' }, 238],
  ['a negated pattern', { $not: { $regex: '^A', $options: 'i' } }, ['bc']],
  ['options after a pattern with options', { $regex: new BSONRegExp('a', 'i'), $options: 's' }, 51075],
  ['options before a pattern with options', { $options: 's', $regex: new BSONRegExp('a', 'i') }, 51074],
  ...UNKNOWN_OPTION,
  ['options of another type', { $regex: 'a', $options: 1 }, 2],
  ['a pattern of another type', { $regex: 1 }, 2],
  ['a NUL in the pattern', { $regex: 'a\0b' }, 2],
  ['a pattern that is too long', { $regex: 'a'.repeat(32_765) }, 51091],
];

describe('$regex', () => {
  test.each(CASES)('%s', async (_, condition, expected) => {
    const collection = mongo.collection('patterns');
    await collection.deleteMany({});
    await collection.insertMany([{ a: 'abc' }, { a: 'ABC' }, { a: 'bc' }]);
    const found = collection.find({ a: condition }).sort({ _id: 1 }).toArray();
    if (typeof expected === 'number') {
      await expect(found).rejects.toMatchObject({ code: expected });
    } else {
      expect((await found).map(({ a }) => a)).toEqual(expected);
    }
  });

  test('with an index, a prefix also finds equal patterns', async () => {
    const collection = mongo.collection('indexed');
    await collection.createIndex({ a: 1 });
    await collection.insertMany([{ a: 'ab' }, { a: /^a/ }, { a: 'b' }, { a: ['x', 'ac'] }]);
    const found = await collection.find({ a: { $regex: '^a' } }, { hint: 'a_1' }).toArray();
    expect(found).toHaveLength(3);
  });
});
