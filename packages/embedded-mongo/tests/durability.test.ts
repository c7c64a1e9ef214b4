import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedMongoLockedError, startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { openDataFolder } from '@auth-gateway/embedded-mongo/tools';
import { Double, Long, ObjectId } from 'bson';
import { open } from 'lmdb';
import { type Document, MongoClient } from 'mongodb';
import { Catalog } from '../src/storage/catalog.ts';
import { Store } from '../src/storage/store.ts';
import { verifyStore } from '../src/tools/verify.ts';
import { CLI, kill, startScript } from './support/folder.ts';

const ENGINE = new URL('../dist/engine.js', import.meta.url).href;
const run = promisify(execFile);

describe('a data folder', () => {
  let path: string;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'embedded-mongo-test-'));
  });
  afterEach(() => rmSync(path, { recursive: true }));

  async function withClient<T>(use: (client: MongoClient) => Promise<T>): Promise<T> {
    const engine = await startEmbeddedMongo({ path });
    const client = await new MongoClient(engine.uri).connect();
    try {
      return await use(client);
    } finally {
      await client.close();
      await engine.stop();
    }
  }

  test('documents, indexes and natural order survive a restart', async () => {
    await withClient(async (client) => {
      const collection = client.db('d').collection<{ _id: number; k?: string }>('c');
      await collection.createIndex({ k: 1 }, { unique: true });
      await collection.insertMany([
        { _id: 2, k: 'b' },
        { _id: 1, k: 'a' },
      ]);
      await client.db('d').collection('gone').insertOne({});
      await client.db('d').collection('gone').drop();
    });
    await withClient(async (client) => {
      const collection = client.db('d').collection<{ _id: number; k?: string }>('c');
      await collection.insertOne({ _id: 3 });
      expect(await collection.find().toArray()).toEqual([{ _id: 2, k: 'b' }, { _id: 1, k: 'a' }, { _id: 3 }]);
      await expect(collection.insertOne({ _id: 4, k: 'a' })).rejects.toMatchObject({ code: 11000 });
      expect(await client.db('d').listCollections().toArray()).toHaveLength(1);
    });
  });

  test('a data folder may have a dot in its name', async () => {
    const dotted = join(path, 'data.v1');
    const engine = await startEmbeddedMongo({ path: dotted });
    await engine.stop();
    expect(readdirSync(path)).toEqual(['data.v1']);
    expect(readdirSync(dotted).sort()).toEqual(['data.mdb', 'lock.mdb', 'owner']);
  });

  test('a data folder has one engine at a time, also after a garbage collection, and is free again after a kill', async () => {
    // The main thread of another process: only there a script can call the collector.
    const script = `
      const { startEngine } = await import(${JSON.stringify(ENGINE)});
      await startEngine({ path: ${JSON.stringify(path)}, port: 0 });
      for (let i = 0; i < 20; i += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        gc();
      }
      console.log('collected');`;
    const holder = await startScript(script, '--expose-gc');
    try {
      const refused = startEmbeddedMongo({ path });
      await expect(refused).rejects.toThrow(EmbeddedMongoLockedError);
      await expect(refused).rejects.toMatchObject({
        message: expect.stringContaining(`${path} is in use by process ${holder.pid}`),
        ownerPid: holder.pid,
        ownerPort: expect.any(Number),
      });
    } finally {
      await kill(holder);
    }
    const engine = await startEmbeddedMongo({ path });
    await expect(startEmbeddedMongo({ path })).rejects.toThrow(EmbeddedMongoLockedError);
    await engine.stop();
    await engine.stop();
  });

  test('a data folder of another format version is refused', async () => {
    await withClient(async (client) => client.db('d').collection('c').insertOne({}));
    const root = open<Buffer, string>({ path, encoding: 'binary' });
    await root.openDB<Buffer, string>('catalog', { encoding: 'binary' }).put('format', Buffer.from('99'));
    await root.close();
    await expect(startEmbeddedMongo({ path })).rejects.toThrow(
      `The embedded database in ${path} has format 99`,
    );
  });

  test('verify reports entries without documents, and documents without entries', async () => {
    await withClient(async (client) => {
      const collection = client.db('d').collection('c');
      await collection.createIndex({ k: 1 });
      await collection.insertMany([{ k: 1 }, { k: 2 }, { k: 3 }]);
    });
    expect((await run(process.execPath, [CLI, 'verify', '--path', path])).stdout).toBe(
      '1 collections, 3 documents, 6 index entries, 0 problems\n',
    );
    const store = Store.open(path);
    const [document] = [...store.documents.getKeys()];
    const [entry] = [...store.entries.getKeys({ reverse: true })];
    await store.write(() => {
      store.documents.removeSync(document as Buffer);
      store.entries.removeSync(entry as Buffer);
      store.entries.putSync(Buffer.from([0, 0, 9, 9, 1]), Buffer.alloc(6));
    });
    store.refresh();
    expect(verifyStore(new Catalog(store)).problems).toEqual([
      "d.c index k_1: record 3 has no entry for its key, or another's",
      'd.c index _id_: an entry points to record 1, which does not exist',
      'd.c index _id_: 2 entries expected, 3 found',
      'd.c index k_1: an entry points to record 1, which does not exist',
      'index entries under the id 2313, which no collection has',
    ]);
    await store.close();
    await expect(run(process.execPath, [CLI, 'verify', '--path', path])).rejects.toMatchObject({ code: 1 });
  });

  test('export writes Extended JSON that keeps every type and the order of fields', async () => {
    const _id = new ObjectId();
    const inner = new Map<string, unknown>([
      ['$id', 1.5],
      ['$ref', 'c'],
    ]);
    const document = new Map<string, unknown>([
      ['_id', _id],
      ['long', Long.fromNumber(1)],
      ['10', [1, new Double(1), null, new Date(0)]],
      ['9', inner],
      ['__proto__', 1e12],
    ]);
    const key = new Map<string, 1 | -1>([
      ['10', 1],
      ['9', -1],
    ]);
    await withClient(async (client) => {
      const collection = client.db('d').collection('c');
      await collection.insertOne(document as unknown as Document);
      await collection.createIndex(key, { unique: true, partialFilterExpression: { 9: { $gt: 5 } } });
    });
    await run(process.execPath, [CLI, 'export', '--path', path, '--out', join(path, 'out')]);
    const [long, list] = ['{"$numberLong":"1"}', '{"$numberInt":"1"},{"$numberDouble":"1.0"},null'];
    const last = '"__proto__":{"$numberDouble":"1000000000000.0"}';
    expect(readFileSync(join(path, 'out', 'd.c.json'), 'utf8')).toBe(
      `{"_id":{"$oid":"${_id}"},"long":${long},"10":[${list},{"$date":{"$numberLong":"0"}}],"9":{"$id":{"$numberDouble":"1.5"},"$ref":"c"},${last}}\n`,
    );
    const options = '{"v":2,"name":"10_1_9_-1","unique":true,"partialFilterExpression":{"9":{"$gt":5}}}';
    expect(readFileSync(join(path, 'out', 'indexes.js'), 'utf8')).toBe(
      `db.getSiblingDB("d").runCommand({createIndexes:"c",indexes:[{key:new Map([["10",1],["9",-1]]),...EJSON.deserialize(${options})}]});\n`,
    );
    await expect(
      run(process.execPath, [CLI, 'export', '--path', join(path, 'nothing')]),
    ).rejects.toMatchObject({ code: 1 });
  });

  test('TTL indexes remove expired documents and no others, by the time that collMod set', async () => {
    const past = new Date(Date.now() - 60_000);
    await withClient(async (client) => {
      const collection = client.db('d').collection<{ _id: number; at?: unknown; kind?: string }>('c');
      await collection.createIndex(
        { at: 1 },
        { expireAfterSeconds: 3600, partialFilterExpression: { kind: 'temporary' } },
      );
      const kind = 'temporary';
      await collection.insertMany([
        { _id: 1, at: past, kind },
        { _id: 2, at: new Date(), kind },
        { _id: 3, at: 'never', kind },
        { _id: 4, kind },
        { _id: 5, at: past },
        { _id: 6, at: [new Date(), past], kind },
      ]);
      const index = { keyPattern: { at: 1 }, expireAfterSeconds: 30 };
      await client.db('d').command({ collMod: 'c', index });
    });
    const data = openDataFolder(path);
    expect(await data.removeExpired(new Date())).toBe(2);
    expect(data.verify()).toMatchObject({ documents: 4, problems: [] });
    await data.close();
  });
});
