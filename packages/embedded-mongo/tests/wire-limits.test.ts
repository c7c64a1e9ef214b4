import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { BSON, type Document } from 'bson';
import { eventually } from '../../../tests/support/eventually.ts';
import { useEngine } from './support/engine.ts';

/** What one client may send, and leave unread, without holding up the others. */
const mongo = useEngine();
const database = () => mongo.client.db('test');

function message(document: Document | Buffer, sections: Buffer[] = []): Buffer {
  const body = Buffer.isBuffer(document) ? document : BSON.serialize(document);
  const bytes = Buffer.concat([Buffer.alloc(21), body, ...sections]);
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(2013, 12);
  return bytes;
}

function section(name: string, document: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(5), Buffer.from(`${name}\0`), document]);
  bytes[0] = 1;
  bytes.writeInt32LE(bytes.length - 1, 1);
  return bytes;
}

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(mongo.uri).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function exchange(bytes: Buffer): Promise<Document> {
  const socket = await open();
  socket.write(bytes);
  const [data] = await once(socket, 'data');
  socket.destroy();
  return BSON.deserialize((data as Buffer).subarray(21));
}

/** A document in the field `filter` of a document, and so on. Without `BSON`, which would take its time for it. */
function nested(levels: number): Buffer {
  const name = Buffer.from('\x03filter\0');
  const bytes = Buffer.alloc(5 + levels * (name.length + 5));
  for (let level = 0, at = 0; level <= levels; level++) {
    at = bytes.writeInt32LE(bytes.length - at - level, at);
    at += level < levels ? name.copy(bytes, at) : 0;
  }
  return bytes;
}

function withFirst(document: Document, rest: Buffer): Buffer {
  const bytes = Buffer.concat([BSON.serialize(document).subarray(0, -1), rest.subarray(4)]);
  bytes.writeInt32LE(bytes.length, 0);
  return bytes;
}

test('a client that reads no answers gets no more work done', async () => {
  await database()
    .collection('large')
    .insertOne({ text: 'x'.repeat(16_000_000) });
  const socket = await open();
  const find = { find: 'large', $db: 'test' };
  const insert = { insert: 'behind', documents: [{ a: 1 }], $db: 'test' };
  socket.write(Buffer.concat([message(find), message(insert)]));
  // The answer has begun to arrive. What it does not read fills the buffers of both sides.
  await once(socket, 'readable');
  await database().collection('other').insertOne({ a: 1 });
  expect(await database().collection('behind').countDocuments()).toBe(0);
  socket.resume();
  await eventually(async () => expect(await database().collection('behind').countDocuments()).toBe(1));
  socket.destroy();
});

test('a client that ends its connection while its answers wait is forgotten', async () => {
  const socket = await open();
  socket.write(Buffer.concat([message({ find: 'large', $db: 'test' }), message({ ping: 1, $db: 'test' })]));
  await once(socket, 'readable');
  socket.destroy();
  expect(await exchange(message({ ping: 1, $db: 'test' }))).toEqual({ ok: 1 });
});

test('a command with a million levels is refused before it is decoded', async () => {
  const deep = withFirst({ find: 'c', $db: 'test' }, nested(600_000));
  expect(await exchange(message(deep))).toMatchObject({ ok: 0, code: 15 });
});

test('a document with a million levels is refused before it is decoded', async () => {
  const insert = message({ insert: 'deep', $db: 'test' }, [section('documents', nested(600_000))]);
  expect(await exchange(insert)).toMatchObject({ n: 0, writeErrors: [{ code: 15 }] });
  const update = { q: {}, u: {} };
  const updates = section('updates', withFirst(update, nested(600_000)));
  expect(await exchange(message({ update: 'deep', $db: 'test' }, [updates]))).toMatchObject({ code: 15 });
});

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

test.each<[string, Document]>([
  ['$in', { find: 'c', filter: { a: { $in: numbers(1_000_000) } } }],
  ['$nin', { find: 'c', filter: { a: { $nin: numbers(250_000) } } }],
  ['$or', { count: 'c', query: { $or: numbers(100_000).map((a) => ({ a })) } }],
  ['$each', { update: 'c', updates: [{ q: {}, u: { $push: { a: { $each: numbers(600_000) } } } }] }],
])('a command with too many values is refused: %s', async (_, command) => {
  await expect(database().command(command)).rejects.toMatchObject({ code: 10334 });
});

test('lists of a hundred thousand values are answered', async () => {
  await database()
    .collection('few')
    .insertMany(numbers(10).map((_id) => ({ _id, a: _id })) as Document[]);
  const found = async (filter: Document) => database().collection('few').countDocuments(filter);
  expect(await found({ a: { $in: numbers(100_000) } })).toBe(10);
  expect(await found({ _id: { $in: numbers(100_000) } } as Document)).toBe(10);
  expect(await found({ a: { $nin: numbers(100_000) } })).toBe(0);
  // To collect the conditions on one field took quadratic time.
  expect(await found({ $and: numbers(60_000).map((i) => ({ a: { $gte: -i } })) })).toBe(10);
  // The search for array filters in the paths took it, too.
  const names = numbers(5000).map((i) => `x${i}`);
  const $set = Object.fromEntries(names.map((name) => [`a.$[${name}]`, 1]));
  await database().collection('lists').insertOne({ a: [] });
  const arrayFilters = names.map((name) => ({ [name]: 5 }));
  expect(await database().collection('lists').updateOne({}, { $set }, { arrayFilters })).toMatchObject({
    matchedCount: 1,
  });
});

test('a document to insert may have a million values', async () => {
  await database()
    .collection('long')
    .insertOne({ a: numbers(1_000_000) });
  expect(await database().collection('long').countDocuments({ a: 999_999 })).toBe(1);
});

test('a sort by many fields takes the least element of a long array', async () => {
  const sorted = database().collection<{ _id: number; a: number[] }>('sorted');
  await sorted.insertMany([
    { _id: 1, a: numbers(100_000).reverse() },
    { _id: 2, a: [-1] },
    { _id: 3, a: [5] },
  ]);
  const fields = numbers(30).map((i) => [`f${i}`, 1] as const);
  const found = sorted
    .find()
    .sort([...fields, ['a', 1]])
    .project({ _id: 1 });
  expect(await found.toArray()).toEqual([{ _id: 2 }, { _id: 1 }, { _id: 3 }]);
});

test('a pipeline of a thousand stages is answered', async () => {
  const stages = numbers(1000).map(() => ({ $match: { a: { $gte: 0 } } }));
  expect(await database().collection('few').aggregate(stages).toArray()).toHaveLength(10);
});
