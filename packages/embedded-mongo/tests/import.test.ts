import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { importInto, openDataFolder } from '@auth-gateway/embedded-mongo/tools';
import {
  Binary,
  Code,
  Decimal128,
  type Document,
  Double,
  Long,
  MaxKey,
  MinKey,
  MongoClient,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import { linesOf } from '../src/tools/transfer/lines.ts';
import { parseExtendedJson } from '../src/values/parse-extended-json.ts';
import { useFolder } from './support/folder.ts';

const inFolder = useFolder();

const ODD_NAMES = new Map<string, unknown>([
  ['_id', 2],
  ['10', 1],
  ['9', new Map([['$ref', 'c']])],
  ['__proto__', { 5: 1, 4: 2 }],
  ['a "10": b', 'a \\"9": {"$oid":1} \u2028 é \u0001'],
  ['', null],
]);

const EVERY_TYPE: Document = {
  _id: 1,
  int: 1,
  long: Long.fromNumber(1),
  whole: new Double(1),
  fraction: 1.5,
  minusZero: new Double(-0),
  notANumber: Number.NaN,
  infinite: Number.POSITIVE_INFINITY,
  decimal: Decimal128.fromString('1.10'),
  date: new Date(-62_135_596_800_001),
  pattern: /a"b/i,
  time: new Timestamp({ t: 1, i: 2 }),
  binary: new Binary(Buffer.from('hi'), 5),
  uuid: new UUID(),
  code: new Code('x', { y: 1 }),
  min: new MinKey(),
  max: new MaxKey(),
  none: null,
  list: [1, [new ObjectId()], {}],
  wrapperLike: { $oid: 1, more: 2 },
};

beforeAll(async () => {
  const engine = await startEmbeddedMongo({ path: inFolder('data') });
  const client = await new MongoClient(engine.uri).connect();
  const things = client.db('d').collection<{ _id: number }>('things and others');
  const key = new Map<string, 1 | -1>([
    ['10', 1],
    ['9', -1],
  ]);
  await things.createIndex(key, { unique: true, partialFilterExpression: { 9: { $gt: 5 } } });
  await things.createIndex({ date: 1 }, { expireAfterSeconds: 2_000_000_000 });
  await things.insertMany([EVERY_TYPE, ODD_NAMES] as unknown as { _id: number }[]);
  const people = client.db('d').collection('people');
  await people.createIndex({ email: 1 }, { unique: true });
  await people.insertMany([{ email: 'ada@example.org' }, { email: 'b' }, { email: 'c' }]);
  await client.db('e').createCollection('empty');
  await client.close();
  await engine.stop();
  await exported('data', 'export');
});

async function exported(path: string, out: string): Promise<void> {
  const data = openDataFolder(inFolder(path));
  await data.exportTo(inFolder(out));
  await data.close();
}

/** The texts of all files in a folder, by name. */
const texts = (path: string) =>
  Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]));

/** A copy of the export in which one file is changed. */
function changedExport(name: string, file: string, change: (text: string) => string): string {
  const copy = inFolder(`export with ${name}`);
  cpSync(inFolder('export'), copy, { recursive: true });
  writeFileSync(join(copy, file), change(readFileSync(join(copy, file), 'utf8')));
  return copy;
}

test('an imported export has every document, type, order of fields and index again', async () => {
  const { collections, hasIndexes } = await importInto(inFolder('imported'), inFolder('export'));
  expect(hasIndexes).toBe(true);
  expect(collections).toEqual([
    { namespace: 'd.people', documents: 3 },
    { namespace: 'd.things and others', documents: 2 },
    { namespace: 'e.empty', documents: 0 },
  ]);
  await exported('imported', 'exported-again');
  expect(texts(inFolder('exported-again'))).toEqual(texts(inFolder('export')));
  const data = openDataFolder(inFolder('imported'));
  expect(data.verify()).toMatchObject({ documents: 5, problems: [] });
  await data.close();
});

test('an import adds its collections to those that are there, and refuses to add to one', async () => {
  cpSync(inFolder('export'), inFolder('part'), { recursive: true });
  rmSync(inFolder('part', 'collections.json'));
  for (const name of readdirSync(inFolder('part')).filter((each) => !each.startsWith('e.'))) {
    rmSync(inFolder('part', name));
  }
  const { hasIndexes } = await importInto(inFolder('both'), inFolder('part'));
  expect(hasIndexes).toBe(false);
  const again = importInto(inFolder('both'), inFolder('export'));
  await expect(again).rejects.toThrow('The database has the collection e.empty already.');
  rmSync(inFolder('part', 'e.empty.json'));
  writeFileSync(inFolder('part', 'f.g.json'), '{"_id": 1, "n": 12345678901}\n\n{"_id": 2, "n": 1.5}');
  await importInto(inFolder('both'), inFolder('part'));
  await exported('both', 'both-exported');
  const long = '{"_id":{"$numberInt":"1"},"n":{"$numberLong":"12345678901"}}';
  const double = '{"_id":{"$numberInt":"2"},"n":{"$numberDouble":"1.5"}}';
  expect(texts(inFolder('both-exported'))).toMatchObject({
    'e.empty.json': '',
    'f.g.json': `${long}\n${double}\n`,
  });
});

const PEOPLE = 'd.people.json';

test.each([
  {
    name: 'a broken line',
    file: PEOPLE,
    change: (text: string) => text.replace('"b"', '"b'),
    error: 'd.people.json, line 2: not valid JSON',
  },
  {
    name: 'a line that is cut off',
    file: PEOPLE,
    change: (text: string) => text.slice(0, -4),
    error: 'd.people.json, line 3: not valid JSON',
  },
  {
    name: 'a list for a document',
    file: PEOPLE,
    change: (text: string) => `${text}[1]\n`,
    error: 'd.people.json, line 4: not a document',
  },
  {
    name: 'a duplicate',
    file: PEOPLE,
    change: (text: string) => text.replace('"b"', '"ada@example.org"'),
    error: 'd.people.json, line 2: another document has the same value in the unique index { email: 1 }',
  },
  {
    name: 'a bad value',
    file: PEOPLE,
    change: (text: string) => text.replace('"c"', '{"$numberInt":"2147483648"}'),
    error: 'd.people.json, line 3: not a value of $numberInt',
  },
  {
    name: 'a missing line',
    file: PEOPLE,
    change: (text: string) => text.slice(text.indexOf('\n') + 1),
    error: 'd.people.json has 2 documents of 3',
  },
  {
    name: 'a collection without a file',
    file: 'collections.json',
    change: (text: string) => text.replace('d.people', 'd.persons'),
    error: 'd.persons.json is missing',
  },
  {
    name: 'a name that leads out of the folder',
    file: 'collections.json',
    change: (text: string) => text.replace('d.people', '../d.people'),
    error: '..%2Fd.people.json is missing',
  },
  {
    name: 'an index of an unknown kind',
    file: 'collections.json',
    change: (text: string) => text.replace('"email":{"$numberInt":"1"}', '"email":"text"'),
    error: 'is not implemented by the embedded engine',
  },
])('an import with $name changes nothing, and names the place', async ({ name, file, change, error }) => {
  const from = changedExport(name, file, change);
  const path = inFolder(`import with ${name}`);
  const failure = await importInto(path, from).catch((reason: Error) => reason);
  expect(failure).toBeInstanceOf(Error);
  expect((failure as Error).message).toContain(error);
  expect((failure as Error).message).not.toContain('ada@');
  expect(existsSync(join(path, 'data.mdb'))).toBe(false);
  expect(existsSync(join(path, '.embedded-mongo-staging'))).toBe(false);
});

test('an export that was cut short is refused, and is none of a version without a list', async () => {
  const data = openDataFolder(inFolder('imported'));
  const cut = data.exportTo(inFolder('cut'), (done) => {
    if (done === 2) {
      throw new Error('no space left on device');
    }
  });
  await expect(cut).rejects.toThrow('no space left');
  await data.close();
  await expect(importInto(inFolder('from cut'), inFolder('cut'))).rejects.toThrow(
    'There is no complete export',
  );
  expect(existsSync(inFolder('from cut', 'data.mdb'))).toBe(false);
});

test('an index counts wherever it is in the list', async () => {
  const from = changedExport('the index on _id missing', 'collections.json', (text) =>
    text.replace('{"v":{"$numberInt":"2"},"key":{"_id":{"$numberInt":"1"}},"name":"_id_"},', ''),
  );
  expect(readFileSync(join(from, 'collections.json'), 'utf8')).not.toBe(
    readFileSync(inFolder('export', 'collections.json'), 'utf8'),
  );
  await importInto(inFolder('without _id'), from);
  await exported('without _id', 'without _id exported');
  expect(texts(inFolder('without _id exported'))).toEqual(texts(inFolder('export')));
});

test('an import from a folder without an export is refused', async () => {
  await expect(importInto(inFolder('none'), inFolder('data'))).rejects.toThrow('There is no export in');
});

test.each([
  '{"a":{"$numberInt":"x"}}',
  '{"a":{"$numberLong":"9223372036854775808"}}',
  '{"a":{"$numberDouble":"1,5"}}',
  '{"a":{"$numberDecimal":"one"}}',
  '{"a":{"$oid":"12"}}',
  '{"a":{"$date":{"$numberLong":"9999999999999999"}}}',
  '{"a":{"$date":"yesterday"}}',
  '{"a":{"$timestamp":{"t":-1,"i":0}}}',
  '{"a":{"$binary":{"base64":5}}}',
])('a value that its type does not have is refused: %s', (text) => {
  expect(() => parseExtendedJson(text)).toThrow('not a value of $');
});

test('documents that are nested without end are refused', () => {
  const text = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  expect(() => parseExtendedJson(text)).toThrow();
});

test('a line that is too long is refused before all of it is read', async () => {
  const file = inFolder('long.json');
  writeFileSync(file, `{}\n${'x'.repeat(200_000)}`);
  const read = async () => {
    for await (const _ of linesOf(file, 100_000)) {
      // Only the error counts.
    }
  };
  await expect(read()).rejects.toThrow(`${file}, line 2: longer than 100000 bytes`);
});

test('text that is no UTF-8 is refused', async () => {
  writeFileSync(inFolder('latin.json'), Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]));
  await expect(linesOf(inFolder('latin.json')).next()).rejects.toThrow('line 1: not valid UTF-8');
});
