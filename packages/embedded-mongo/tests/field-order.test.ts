import { BSON, type Document } from 'mongodb';
import { useEngine } from './support/engine.ts';

/** What the random updates do not have: `__proto__`, replacements and pipelines. */
const mongo = useEngine();

/** A document whose fields keep this order. JavaScript objects put names that are whole numbers first. */
const ordered = (...fields: [string, unknown][]) => new Map(fields) as unknown as Document;

/** The names of a stored document's fields, in the order of its bytes. `__proto__` is a name, too. */
async function storedNames(name: string, path: string[] = []): Promise<string[]> {
  const [raw] = await mongo.collection(name).find({}, { raw: true }).toArray();
  let bytes = raw as unknown as Buffer;
  for (const part of path) {
    const at = elementsOf(bytes).find((element) => element.name === part)?.at ?? 0;
    bytes = bytes.subarray(at);
  }
  return elementsOf(bytes).map((element) => element.name);
}

function elementsOf(bytes: Buffer): { name: string; at: number }[] {
  return [...BSON.onDemand.parseToElements(bytes)].map(([, nameAt, length, at]) => ({
    name: bytes.toString('utf8', nameAt, nameAt + length),
    at,
  }));
}

const INNER = ordered(['x', 1], ['10', 1], ['9', 1], ['__proto__', 1]);

test.each<[string, unknown, string[], string[]]>([
  ['$inc keeps the order beside it', { $inc: { 'b.9': 1 } }, ['b'], ['x', '10', '9', '__proto__']],
  [
    '$set sets __proto__ as a field',
    { $set: { 'b.__proto__': 2, y: 1 } },
    ['b'],
    ['x', '10', '9', '__proto__'],
  ],
  ['a replacement has its own order', ordered(['z', 1], ['2', 1], ['1', 1]), [], ['_id', 'z', '2', '1']],
  ['a pipeline keeps the order', [{ $set: { 'b.1': '$b.9' } }], ['b'], ['x', '10', '9', '__proto__', '1']],
])('%s', async (name, update, path, names) => {
  const collection = mongo.collection(name.replaceAll('$', ''));
  await collection.insertOne(ordered(['_id', 1], ['b', INNER]) as { _id: number });
  await mongo.client.db('test').command({
    update: collection.collectionName,
    updates: [{ q: { 'b.10': 1 }, u: update }],
  });
  expect(await storedNames(collection.collectionName, path)).toEqual(names);
});
