import {
  appendFileSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedMongo, startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import {
  backupDataFolder,
  openDataFolder,
  readManifest,
  restoreBackup,
} from '@auth-gateway/embedded-mongo/tools';
import { MongoClient } from 'mongodb';
import { Store } from '../src/storage/store.ts';
import { CLI, kill, startNode, startScript, useFolder } from './support/folder.ts';

/** The rights of group and others. */
const FOR_OTHERS = 0o077;

const inFolder = useFolder();
let engine: EmbeddedMongo;
let client: MongoClient;

beforeAll(async () => {
  engine = await startEmbeddedMongo({ path: inFolder('data') });
  client = await new MongoClient(engine.uri).connect();
  const people = client.db('d').collection('people');
  await people.createIndex({ email: 1 }, { unique: true });
  await people.insertMany([{ email: 'a' }, { email: 'b' }]);
  await client.db('d').createCollection('empty');
  await engine.backup(inFolder('backup'));
});
afterAll(async () => {
  await client.close();
  await engine.stop();
});

/** The documents in a data folder that no engine uses, by `verify`. */
async function verified(path: string) {
  const data = openDataFolder(path);
  const { documents, problems } = data.verify();
  await data.close();
  return { documents, problems };
}

/** A copy of the backup that a test may damage. */
function damagedBackup(name: string, damage: (file: string) => void): string {
  const copy = inFolder(name);
  mkdirSync(copy);
  for (const file of readdirSync(inFolder('backup'))) {
    writeFileSync(join(copy, file), readFileSync(inFolder('backup', file)));
  }
  damage(join(copy, 'data.mdb'));
  return copy;
}

test('a backup has its manifest, and only its user can read it', () => {
  const manifest = readManifest(inFolder('backup'));
  expect(manifest).toMatchObject({
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    bytes: statSync(inFolder('backup', 'data.mdb')).size,
    collections: [
      { namespace: 'd.empty', documents: 0 },
      { namespace: 'd.people', documents: 2 },
    ],
  });
  expect(new Date(manifest.time).toISOString()).toBe(manifest.time);
  const paths = ['.', ...readdirSync(inFolder('backup'))];
  expect(paths.sort()).toEqual(['.', 'backup.json', 'data.mdb']);
  const isOpen = (name: string) => (statSync(inFolder('backup', name)).mode & FOR_OTHERS) !== 0;
  expect(paths.filter(isOpen)).toEqual([]);
});

test('a backup under load has every write that was acknowledged before it began, and no half one', async () => {
  const collection = client.db('d').collection<{ _id: number; key: string }>('load');
  await collection.createIndex({ key: 1 }, { unique: true });
  const acknowledged: number[] = [];
  let isOver = false;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let i = 0; !isOver; i++) {
      const _id = i * 4 + writer;
      await collection.insertOne({ _id, key: `key ${_id}` });
      acknowledged.push(_id);
    }
  });
  while (acknowledged.length < 50) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const before = [...acknowledged];
  const { collections } = await engine.backup(inFolder('under-load'));
  isOver = true;
  await Promise.all(writers);

  await restoreBackup(inFolder('restored-load'), inFolder('under-load'));
  const total = collections.reduce((sum, { documents }) => sum + documents, 0);
  expect(await verified(inFolder('restored-load'))).toEqual({ documents: total, problems: [] });
  const restored = await startEmbeddedMongo({ path: inFolder('restored-load') });
  const reader = await new MongoClient(restored.uri).connect();
  const found = await reader.db('d').collection<{ _id: number }>('load').find().toArray();
  await reader.close();
  await restored.stop();
  const ids = new Set(found.map(({ _id }) => _id));
  expect(before.filter((id) => !ids.has(id))).toEqual([]);
});

test('a backup of a folder with an empty target replaces the empty folder', async () => {
  mkdirSync(inFolder('empty-target'));
  await backupDataFolder(inFolder('data'), inFolder('empty-target'));
  expect(readdirSync(inFolder('empty-target')).sort()).toEqual(['backup.json', 'data.mdb']);
});

test('a backup that cannot be written leaves nothing, and the database keeps running', async () => {
  writeFileSync(inFolder('a-file'), '');
  await expect(engine.backup(inFolder('backup'))).rejects.toThrow('is not empty');
  await expect(engine.backup(inFolder('a-file'))).rejects.toThrow('ENOTDIR');
  await expect(engine.backup(inFolder('a-file', 'backup'))).rejects.toThrow('ENOTDIR');
  await expect(backupDataFolder(inFolder('nothing'), inFolder('of-nothing'))).rejects.toThrow(
    `There is no embedded database in ${inFolder('nothing')}.`,
  );
  const aborted = new AbortController();
  const stopped = engine.backup(inFolder('stopped'), { signal: aborted.signal });
  aborted.abort(new Error('stopped by the test'));
  await expect(stopped).rejects.toThrow('stopped by the test');
  await expect(engine.backup(inFolder('stopped'), { signal: aborted.signal })).rejects.toThrow('stopped');
  expect(readdirSync(inFolder()).filter((name) => /partial|stopped|of-nothing/.test(name))).toEqual([]);
  await client.db('d').collection('after').insertOne({});
});

test('a database in memory has no backup', async () => {
  const inMemory = await startEmbeddedMongo();
  await expect(inMemory.backup(inFolder('of-memory'))).rejects.toThrow('in memory');
  await inMemory.stop();
});

test('a restored backup is a whole database, and the backup stays', async () => {
  const { former } = await restoreBackup(inFolder('restored'), inFolder('backup'));
  expect(former).toBeUndefined();
  expect(await verified(inFolder('restored'))).toEqual({ documents: 2, problems: [] });
  expect(readdirSync(inFolder('restored')).sort()).toEqual(['data.mdb', 'lock.mdb', 'owner']);
  expect(readManifest(inFolder('backup')).collections).toHaveLength(2);
});

test('a restore replaces a database only when told to, and keeps it', async () => {
  const path = inFolder('replaced');
  const older = await startEmbeddedMongo({ path });
  const writer = await new MongoClient(older.uri).connect();
  await writer.db('d').collection('other').insertOne({});
  await writer.close();
  await older.stop();
  await expect(restoreBackup(path, inFolder('backup'))).rejects.toThrow('There is a database in');
  expect(await verified(path)).toEqual({ documents: 1, problems: [] });
  const { former = '' } = await restoreBackup(path, inFolder('backup'), { replace: true });
  expect(await verified(path)).toEqual({ documents: 2, problems: [] });
  expect(former.startsWith(join(path, 'replaced-'))).toBe(true);
  expect(await verified(former)).toEqual({ documents: 1, problems: [] });
  expect(statSync(former).mode & FOR_OTHERS).toBe(0);
});

test('restores that follow one another at once each keep the former database', async () => {
  const path = inFolder('replaced-again');
  await restoreBackup(path, inFolder('backup'));
  const formers = new Set<string | undefined>();
  for (let count = 0; count < 3; count += 1) {
    formers.add((await restoreBackup(path, inFolder('backup'), { replace: true })).former);
  }
  expect(formers.size).toBe(3);
});

test('a restore refuses a folder that an engine of another process uses', async () => {
  const child = await startNode(CLI, 'serve', '--path', inFolder('served'), '--port', '0');
  try {
    const restoring = restoreBackup(inFolder('served'), inFolder('backup'), { replace: true });
    await expect(restoring).rejects.toThrow(`is in use by process ${child.pid}`);
  } finally {
    await kill(child);
  }
  expect(await verified(inFolder('served'))).toEqual({ documents: 0, problems: [] });
});

test.each([
  {
    name: 'a changed byte',
    damage: (file: string) => {
      const bytes = readFileSync(file);
      bytes.writeUInt8(bytes.readUInt8(9000) ^ 1, 9000);
      writeFileSync(file, bytes);
    },
    error: 'is damaged',
  },
  { name: 'more bytes', damage: (file: string) => appendFileSync(file, 'x'), error: 'is damaged' },
  { name: 'no data file', damage: (file: string) => rmSync(file), error: 'ENOENT' },
  {
    name: 'no manifest',
    damage: (file: string) => rmSync(join(file, '..', 'backup.json')),
    error: 'is not a complete backup: it has no backup.json',
  },
  {
    name: 'a manifest of another version',
    damage: (file: string) => writeFileSync(join(file, '..', 'backup.json'), '{"backup":99}'),
    error: 'is not from a version of backups that this program reads',
  },
])('a restore of a backup with $name changes nothing', async ({ name, damage, error }) => {
  const backup = damagedBackup(`damaged with ${name}`, damage);
  const path = inFolder(`target of ${name}`);
  await restoreBackup(path, inFolder('backup'));
  await expect(restoreBackup(path, backup, { replace: true })).rejects.toThrow(error);
  expect(readdirSync(path).filter((file) => /staging|replaced/.test(file))).toEqual([]);
  expect(await verified(path)).toEqual({ documents: 2, problems: [] });
});

test('a restore touches nothing of others in the folder, whatever its name', async () => {
  const path = inFolder('with others');
  mkdirSync(join(path, 'staging'), { recursive: true });
  writeFileSync(join(path, 'staging', 'work'), 'of somebody');
  await restoreBackup(path, inFolder('backup'));
  expect(readFileSync(join(path, 'staging', 'work'), 'utf8')).toBe('of somebody');
  expect(await verified(path)).toEqual({ documents: 2, problems: [] });
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('what root does in the folder of the service leaves the service able to open it', async () => {
  const path = inFolder('for a service');
  mkdirSync(path);
  chownSync(path, 65_534, 65_534);
  const foreign = () =>
    readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
      (name) => statSync(join(path, name)).uid !== 65_534,
    );
  await restoreBackup(path, inFolder('backup'));
  expect(foreign()).toEqual([]);
  await backupDataFolder(path, inFolder('backup by root'));
  expect(foreign()).toEqual([]);
  await restoreBackup(path, inFolder('backup'), { replace: true });
  await verified(path);
  expect(foreign()).toEqual([]);
  expect(readdirSync(path)).toContain('lock.mdb');
});

asRoot('a restore of root gives no file behind a link to the user of the service', async () => {
  const path = inFolder('of a service');
  const foreign = inFolder('foreign');
  mkdirSync(join(path, 'owner'), { recursive: true });
  writeFileSync(foreign, 'of root');
  symlinkSync(foreign, join(path, 'owner', 'link'));
  chownSync(path, 65_534, 65_534);
  await restoreBackup(path, inFolder('backup'));
  expect(statSync(join(path, 'data.mdb')).uid).toBe(65_534);
  expect(statSync(foreign).uid).toBe(0);
});

test('a reader that was killed holds no pages of the file after the next sweep', async () => {
  const store = Store.open(inFolder('readers'));
  const file = inFolder('readers', 'data.mdb');
  const key = Buffer.alloc(10);
  const rewrite = async () => {
    for (let i = 0; i < 8; i++) {
      await store.write(() => store.documents.putSync(key, Buffer.alloc(1024 * 1024, i)));
    }
    return statSync(file).size;
  };
  await store.write(() => store.documents.putSync(key, Buffer.alloc(10)));
  // It reads as a backup does, until it is killed.
  const script = `
    import { open } from 'lmdb';
    const root = open({ path: ${JSON.stringify(inFolder('readers'))}, noSubdir: false, readOnly: true });
    const documents = root.openDB('documents', { encoding: 'binary', keyEncoding: 'binary' });
    documents.get(Buffer.alloc(10), { transaction: root.useReadTransaction() });
    console.log('reading');
    setInterval(() => {}, 1000);`;
  await kill(await startScript(script));
  const before = await rewrite();
  expect(before).toBeGreaterThan(8 * 1024 * 1024);
  store.forgetDeadReaders();
  expect(await rewrite()).toBeLessThan(before + 4 * 1024 * 1024);
  await store.close();
});
