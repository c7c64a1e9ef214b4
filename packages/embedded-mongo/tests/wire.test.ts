import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { BSON } from 'bson';
import { MongoClient } from 'mongodb';
import { randomFrom } from './support/random.ts';

const OP_MSG = 2013;

function message(body: Buffer, opCode = OP_MSG, length = body.length + 16): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(length, 0);
  header.writeInt32LE(7, 4);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
}

function command(document: object, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(flags, 0);
  return Buffer.concat([head, BSON.serialize(document)]);
}

const PING = { ping: 1, $db: 'admin' };

const random = randomFrom(1);

describe('the wire protocol', () => {
  let engine: Awaited<ReturnType<typeof startEmbeddedMongo>>;
  beforeAll(async () => {
    engine = await startEmbeddedMongo({ path: ':memory:' });
  });
  afterAll(() => engine.stop());

  async function open(host = '127.0.0.1'): Promise<Socket> {
    const socket = connect(engine.port, host);
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
    const client = await new MongoClient(engine.uri).connect();
    const collection = client.db('test').collection('large');
    const text = (bytes: number) => 'x'.repeat(bytes);
    await collection.insertOne({ text: text(16 * 1024 * 1024 - 100) });
    const raw = { insert: 'large', documents: [{ text: text(16 * 1024 * 1024 + 10) }] };
    await expect(client.db('test').command(raw)).resolves.toMatchObject({ writeErrors: [{ code: 10334 }] });
    await expect(collection.updateMany({}, { $set: { more: text(1000) } })).rejects.toMatchObject({
      code: 10334,
    });
    expect((await collection.find().next())?.text === text(16 * 1024 * 1024 - 100)).toBe(true);
    await client.close();
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
