import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// A stored thing has one owner in src/stores. Whatever asks or changes the database elsewhere hides a rule of a stored thing.

/** Where queries may be written: the stores, the database itself, and the mover's own three collections. */
const MAY_QUERY = /^src\/(?:stores|database|legacy\/journal)\//;
/** What may know the driver beside these: what reaches into its insides. */
const KNOWS_DRIVER = /^src\/patches\/mongodb-[a-z]+\.ts$/;

const DRIVER =
  /from '(?:mongoose|mongodb|bson)'|import\('(?:mongoose|mongodb|bson)'\)|require\('(?:mongoose|mongodb)'\)/;
/** An operator of a query, an update or a pipeline as the name of a property. */
const OPERATOR =
  /\$(?:set|unset|setOnInsert|inc|mul|min|max|push|pull|addToSet|rename|in|nin|gte?|lte?|ne|eq|exists|type|regex|elemMatch|all|size|mod|or|and|nor|not|expr|match|lookup|project|group|sort|limit|each)['"]?\s*:/;
/** A method of a collection, a model or a cursor that no store has. */
const METHOD =
  /\.(?:findOne|updateOne|updateMany|deleteOne|deleteMany|insertOne|bulkWrite|aggregate|findOneAnd\w+|findByIdAnd\w+|countDocuments|lean|collection)\(/;

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join('src', name));

/** What a source has that belongs into a store. */
function violationsIn(file: string, text: string): string[] {
  if (MAY_QUERY.test(file)) {
    return [];
  }
  const rules: [string, RegExp][] = [
    ...(KNOWS_DRIVER.test(file) ? [] : ([['imports the driver', DRIVER]] as [string, RegExp][])),
    ['writes an operator', OPERATOR],
    ['calls a collection', METHOD],
  ];
  return rules.flatMap(([what, rule]) =>
    text
      .split('\n')
      .flatMap((line, index) => (rule.test(line) ? [`${file}:${index + 1} ${what}: ${line.trim()}`] : [])),
  );
}

test('only the stores know the driver and write queries', () => {
  expect(sources.length).toBeGreaterThan(250);
  expect(sources.flatMap((file) => violationsIn(file, readFileSync(file, 'utf8')))).toEqual([]);
});

test.each([
  ["import { mongo } from 'mongoose';", 'imports the driver'],
  ["const { MongoClient } = await import('mongodb');", 'imports the driver'],
  ['const filter = { _id: { $in: ids } };', 'writes an operator'],
  ["  '$set': { name },", 'writes an operator'],
  ['  await collection.updateOne({ _id }, change);', 'calls a collection'],
  ["  const events = db.collection('audit_events');", 'calls a collection'],
  ['  const found = await query.lean();', 'calls a collection'],
])('%s is found outside of the stores, and not inside', (line, what) => {
  expect(violationsIn('src/auth/login.ts', line)).toEqual([expect.stringContaining(what)]);
  expect(violationsIn('src/stores/accounts.ts', line)).toEqual([]);
});
