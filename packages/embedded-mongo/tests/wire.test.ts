import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { BSON, type Document } from 'bson';
import { eventually } from '../../../tests/support/eventually.ts';
import { useEngine } from './support/engine.ts';
import { randomFrom } from './support/random.ts';

const OP_MSG = 2013;
const PING = { ping: 1, $db: 'admin' };

const mongo = useEngine();
const database = () => mongo.client.db('test');
const random = randomFrom(1);

function message(body: Buffer, opCode = OP_MSG, length = body.length + 16): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(length, 0);
  header.writeInt32LE(7, 4);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
}

/** The body of a message: a document, or its bytes, and the sections beside it. */
function command(document: Document | Buffer, flags = 0, sections: Buffer[] = []): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(flags, 0);
  const body = Buffer.isBuffer(document) ? document : BSON.serialize(document);
  return Buffer.concat([head, body, ...sections]);
}

function section(name: string, document: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(5), Buffer.from(`${name}\0`), document]);
  bytes[0] = 1;
  bytes.writeInt32LE(bytes.length - 1, 1);
  return bytes;
}

async function open(host = '127.0.0.1'): Promise<Socket> {
  const socket = connect(Number(new URL(mongo.uri).port), host);
  socket.on('error', () => {});
  await Promise.race([
    once(socket, 'connect'),
    once(socket, 'error').then(([error]) => Promise.reject(error)),
  ]);
  return socket;
}

/** The answer to one message; undefined if the server closed the connection instead. */
async function exchange(bytes: Buffer): Promise<BSON.Document | undefined> {
  const socket = await open();
  socket.write(bytes);
  const first = await Promise.race([
    once(socket, 'data').then(([data]) => data as Buffer),
    once(socket, 'close').then(() => undefined),
  ]);
  socket.destroy();
  return first && BSON.deserialize(first.subarray(21));
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

describe('the wire protocol', () => {
  test('the server answers a ping, also in pieces of one byte', async () => {
    const bytes = message(command(PING));
    expect(await exchange(bytes)).toEqual({ ok: 1 });
    const socket = await open();
    for (const byte of bytes) {
      socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const [data] = await once(socket, 'data');
    expect((data as Buffer).readInt32LE(8)).toBe(7);
    socket.destroy();
  });

  test('the server answers several messages of one packet in their order', async () => {
    const socket = await open();
    socket.write(
      Buffer.concat([
        message(command(PING)),
        message(command({ nothing: 1, $db: 'x' })),
        message(command(PING)),
      ]),
    );
    let received = Buffer.alloc(0);
    const replies: BSON.Document[] = [];
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer]);
      while (received.length >= 16 && received.length >= received.readInt32LE(0)) {
        replies.push(BSON.deserialize(received.subarray(21, received.readInt32LE(0))));
        received = received.subarray(received.readInt32LE(0));
      }
      if (replies.length === 3) {
        break;
      }
    }
    expect(replies.map(({ ok, code }) => [ok, code])).toEqual([
      [1, undefined],
      [0, 59],
      [1, undefined],
    ]);
  });

  test('a client that ends its side gets the answers to all that it has sent', async () => {
    const socket = await open();
    const insert = { insert: 'ended', documents: [{ a: 1 }], $db: 'test' };
    socket.end(Buffer.concat([message(command(insert)), message(command(PING))]));
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer]);
    }
    const first = received.readInt32LE(0);
    expect(BSON.deserialize(received.subarray(21, first))).toEqual({ n: 1, ok: 1 });
    expect(BSON.deserialize(received.subarray(first + 21))).toEqual({ ok: 1 });
  });

  test('the server accepts a checksum, and does not answer a message with moreToCome', async () => {
    expect(await exchange(message(Buffer.concat([command(PING, 1), Buffer.alloc(4, 'c')])))).toEqual({
      ok: 1,
    });
    const socket = await open();
    socket.write(
      Buffer.concat([message(command({ ...PING, comment: 'no answer' }, 2)), message(command(PING))]),
    );
    const [data] = await once(socket, 'data');
    expect((data as Buffer).length).toBe((data as Buffer).readInt32LE(0));
    socket.destroy();
  });

  test('a malformed message ends its connection, and the server serves the next one', async () => {
    const nested = Buffer.concat([
      Buffer.from('a'),
      ...Array.from({ length: 3000 }, () => Buffer.from([3, 97, 0])),
    ]);
    const wrong: Record<string, Buffer> = {
      'a negative length': message(command(PING), OP_MSG, -1),
      'a length below the header': message(command(PING), OP_MSG, 15),
      'a message above 48 MB': message(command(PING), OP_MSG, 48_000_001),
      'an unknown opcode': message(command(PING), 4242),
      'a compressed message': message(command(PING), 2012),
      'a query outside the handshake': message(
        Buffer.concat([Buffer.alloc(4), Buffer.from('x.y\0'), Buffer.alloc(8), BSON.serialize({})]),
        2004,
      ),
      'an unknown required flag': message(command(PING, 4)),
      'no body': message(Buffer.alloc(4)),
      'an unknown kind of section': message(
        Buffer.concat([Buffer.alloc(4), Buffer.of(9), BSON.serialize(PING)]),
      ),
      'a body longer than the message': message(command(PING).subarray(0, -3)),
      'a document of invalid types': message(
        Buffer.concat([Buffer.alloc(5), Buffer.from([12, 0, 0, 0, 0x99, 97, 0, 1, 2, 3, 4, 0])]),
      ),
      'invalid UTF-8': message(
        Buffer.concat([Buffer.alloc(5), Buffer.from([15, 0, 0, 0, 2, 97, 0, 3, 0, 0, 0, 0xff, 0xfe, 0, 0])]),
      ),
      'deep nesting without ends': message(Buffer.concat([Buffer.alloc(5), nested])),
      HTTP: Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    };
    for (const [name, bytes] of Object.entries(wrong)) {
      expect({ name, answer: await exchange(bytes) }).toEqual({ name, answer: undefined });
    }
    expect(await exchange(message(command(PING)))).toEqual({ ok: 1 });
  });

  test('the server survives a thousand messages with random bytes in them', async () => {
    const valid = message(
      command({ find: 'c', filter: { a: { $in: [1, 'x', null] } }, sort: { a: 1 }, $db: 'test' }),
    );
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        Array.from({ length: 25 }, async () => {
          const bytes = Buffer.from(valid);
          for (let flips = 0; flips < 3; flips++) {
            bytes[16 + Math.floor(random() * (bytes.length - 16))] = Math.floor(random() * 256);
          }
          const socket = await open();
          socket.end(bytes);
          socket.resume();
          await once(socket, 'close');
        }),
      );
    }
    expect(await exchange(message(command(PING)))).toEqual({ ok: 1 });
  });

  test('the server forgets a message that a client does not finish', async () => {
    const socket = await open();
    socket.write(message(command(PING)).subarray(0, 20));
    socket.destroy();
    expect(await exchange(message(command(PING)))).toEqual({ ok: 1 });
  });

  test('a document above 16 MiB is refused, and one just below is stored', async () => {
    const collection = database().collection('sized');
    const text = (bytes: number) => 'x'.repeat(bytes);
    await collection.insertOne({ text: text(16 * 1024 * 1024 - 100) });
    const raw = { insert: 'sized', documents: [{ text: text(16 * 1024 * 1024 + 10) }] };
    expect(await database().command(raw)).toMatchObject({ writeErrors: [{ code: 10334 }] });
    await expect(collection.updateMany({}, { $set: { more: text(1000) } })).rejects.toMatchObject({
      code: 10334,
    });
    expect((await collection.find().next())?.text === text(16 * 1024 * 1024 - 100)).toBe(true);
  });

  test("a date beyond JavaScript's range is refused: an update of its document would change it", async () => {
    const insert = command({ insert: 'dates', documents: [{ d: new Date(77_777) }], $db: 'test' });
    const at = insert.indexOf(Buffer.from('\td\0')) + 3;
    insert.writeBigInt64LE(9_000_000_000_000_000n, at);
    expect(await exchange(message(insert))).toMatchObject({ n: 0, writeErrors: [{ code: 238 }] });
    insert.writeBigInt64LE(8_640_000_000_000_000n, at);
    expect(await exchange(message(insert))).toEqual({ n: 1, ok: 1 });
  });

  test('the server listens on the loopback interface only', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of others) {
      await expect(open(address)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    }
  });
});

describe('the limits of one client, which hold up no other', () => {
  test('a client that reads no answers gets no more work done', async () => {
    await database()
      .collection('large')
      .insertOne({ text: 'x'.repeat(16_000_000) });
    const socket = await open();
    const find = { find: 'large', $db: 'test' };
    const insert = { insert: 'behind', documents: [{ a: 1 }], $db: 'test' };
    socket.write(Buffer.concat([message(command(find)), message(command(insert))]));
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
    socket.write(Buffer.concat([message(command({ find: 'large', $db: 'test' })), message(command(PING))]));
    await once(socket, 'readable');
    socket.destroy();
    expect(await exchange(message(command(PING)))).toEqual({ ok: 1 });
  });

  test('a command with a million levels is refused before it is decoded', async () => {
    const deep = withFirst({ find: 'c', $db: 'test' }, nested(600_000));
    expect(await exchange(message(command(deep)))).toMatchObject({ ok: 0, code: 15 });
  });

  test('a document with a million levels is refused before it is decoded', async () => {
    const documents = section('documents', nested(600_000));
    const insert = command({ insert: 'deep', $db: 'test' }, 0, [documents]);
    expect(await exchange(message(insert))).toMatchObject({ n: 0, writeErrors: [{ code: 15 }] });
    const update = { q: {}, u: {} };
    const updates = section('updates', withFirst(update, nested(600_000)));
    expect(await exchange(message(command({ update: 'deep', $db: 'test' }, 0, [updates])))).toMatchObject({
      code: 15,
    });
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
});
