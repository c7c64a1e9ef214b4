import { startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { openDataFolder } from '@auth-gateway/embedded-mongo/tools';
import { type Db, Decimal128, Double, Long, MongoClient } from 'mongodb';
import { run as runDbMove } from '../../src/cli/db-move.ts';
import { connect } from '../../src/database/connect.ts';
import { markUnfinished } from '../../src/database/move/unfinished-move.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { LONG_LIMITS, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { collectOutputs, type ProgramResult, runProgram } from '../support/program.ts';
import { storesWrongRecords } from '../support/record-definitions.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

storesWrongRecords();

/** More than one batch. */
const MANY = 1_200;

const inFolder = folderOfEachTest();
let target: TestDatabase;
beforeEach(async () => {
  target = await openTestDatabase();
});
afterEach(() => target.drop());

const move = (words: string[], settings: Record<string, string> = {}): Promise<ProgramResult> =>
  collectOutputs((outputs) => runDbMove(words, () => settings, outputs));

/** Moves the folder of the test into its target, by the settings. */
const moveAll = (...words: string[]) => move(words, { DATA_DIR: inFolder(), MONGODB_URI: target.uri });

/** Writes into the folder, as a gateway did before the move. */
async function write(act: (db: Db) => Promise<unknown>, database = 'auth_gateway'): Promise<void> {
  const engine = await startEmbeddedMongo({ path: inFolder() });
  const client = await MongoClient.connect(engine.uri);
  await act(client.db(database));
  await client.close();
  await engine.stop();
}

/** What the folder has, with all bytes. */
async function stored(): Promise<Record<string, Buffer[]>> {
  const data = openDataFolder(inFolder());
  const all = data
    .collections()
    .map(({ name, documents }) => [name, [...documents()].map((raw) => Buffer.from(raw))]);
  await data.close();
  return Object.fromEntries(all);
}

/** What a collection of the target has, with all bytes, in natural order. */
const arrived = async (collection: string): Promise<Buffer[]> =>
  (await target.db.collection(collection).find({}, { raw: true }).toArray()).map((raw) =>
    Buffer.from(raw as unknown as Uint8Array),
  );

const people = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    _id: `${number}` as never,
    emailKey: `p${number}@example.org`,
  }));

test('every document arrives byte for byte, with all indexes of the gateway', async () => {
  const keys = (...names: string[]) => new Map(names.map((name) => [name, 1]));
  const odd = new Map<string, unknown>([
    ['_id', keys('b', '0')],
    ['10', new Double(1)],
    ['9', [Long.fromNumber(9), Decimal128.fromString('1.50'), new Map([['_bsontype', 'x']])]],
    ['$id', null],
  ]);
  await write(async (db) => {
    const connection = await connect(`mongodb://${db.client.options.hosts[0]}/auth_gateway`, LONG_LIMITS);
    await createIndexes(connection);
    await connection.close();
    await db.collection('accounts').insertMany(people(MANY));
    await db.command({ insert: 'odd', documents: [odd] });
    await db.collection('odd').createIndex(keys('b', '1'), { sparse: true, name: 'order' });
    await db.collection('expired').insertOne({ at: new Date(0) });
    await db.collection('expired').createIndex({ at: 1 }, { expireAfterSeconds: 0 });
  });
  const before = await stored();

  const result = await moveAll();

  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining(`Moved: ${MANY + 2} documents`) });
  expect(result.stdout).toContain('Set MONGODB_URI to this address');
  expect(result.stderr).toContain(`Copy ${MANY + 2} of ${MANY + 2}`);
  expect(await stored()).toEqual(before);
  const names = (await target.db.listCollections().toArray()).map(({ name }) => name);
  expect(names.sort()).toEqual(Object.keys(before).sort());
  expect(await arrived('accounts')).toEqual(before.accounts);
  expect(await arrived('odd')).toEqual(before.odd);
  const indexes = (await target.db.collection('odd').listIndexes({ raw: true }).toArray()).map((raw) =>
    Buffer.from(raw as unknown as Uint8Array).toString('latin1'),
  );
  expect(indexes.at(-1)).toMatch(/key.*b\0.*1\0.*order/s);
  expect(await target.db.collection('expired').indexes()).toContainEqual(
    expect.objectContaining({ key: { at: 1 }, expireAfterSeconds: 0 }),
  );

  // A gateway makes no index that differs from a moved one.
  const connection = await connect(target.uri, LONG_LIMITS);
  await createIndexes(connection);
  await connection.close();
});

test('a move continues what an interrupted one has left', async () => {
  await write(async (db) => {
    await db.collection('accounts').insertMany(people(MANY));
    await db.collection('accounts').createIndex({ emailKey: 1 }, { unique: true, expireAfterSeconds: 60 });
    await db.collection('empty').createIndex({ a: 1 });
  });
  await target.db.collection('accounts').insertMany(people(MANY).slice(0, 700).reverse());
  await target.db
    .collection('accounts')
    .createIndex({ emailKey: 1 }, { unique: true, expireAfterSeconds: 60 });
  await markUnfinished(target.db);

  expect(await moveAll()).toMatchObject({ code: 0 });

  const sorted = (documents: Buffer[] = []) => documents.map(String).sort();
  expect(sorted(await arrived('accounts'))).toEqual(sorted((await stored()).accounts));
  expect(await target.db.collection('empty').indexes()).toHaveLength(2);
  // A finished move is found to be complete.
  expect(await moveAll()).toMatchObject({ code: 0, stdout: expect.stringContaining('Moved') });
  expect(await target.db.collection('accounts').indexes()).toHaveLength(2);
});

test('foreign data and indexes in the target are refused, and nothing is changed', async () => {
  await write(async (db) => {
    await db.collection('accounts').insertMany(people(3));
    await db.collection('accounts').createIndex({ emailKey: 1 }, { name: 'key' });
    await db.collection('tokens').insertOne({ _id: 't' as never });
  });
  const accounts = target.db.collection('accounts');
  await target.db.collection('others').insertOne({ kept: true });

  await accounts.insertOne({ _id: 'other' as never });
  const foreign = await moveAll();
  expect(foreign).toMatchObject({ code: 2, stdout: '' });
  expect(foreign.stderr).toContain('accounts has 1 document');
  expect(foreign.stderr).toContain('They may be of a gateway that was started on it');

  await accounts.deleteMany({});
  await accounts.insertMany([{ _id: '1' as never, emailKey: 'changed@example.org' }, ...people(1)]);
  await markUnfinished(target.db);
  const changed = await moveAll();
  expect(changed.code).toBe(2);
  expect(changed.stderr).toContain('accounts has 1 document');
  expect(changed.stderr).toContain('the source has changed since');
  expect(changed.stderr).not.toContain('example.org');

  await accounts.deleteMany({});
  await accounts.createIndex({ emailKey: -1 }, { name: 'key' });
  expect(await moveAll()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('another index with the name key'),
  });

  const names = (await target.db.listCollections().toArray()).map(({ name }) => name);
  expect(names.sort()).toEqual(['accounts', 'others', 'unfinished_move']);
  expect(await accounts.countDocuments()).toBe(0);
  expect(await target.db.collection('others').countDocuments()).toBe(1);
});

test('a document that a unique index of the target refuses ends the move, without its values in the text', async () => {
  await write((db) => db.collection('accounts').insertMany(people(2)));
  await target.db.collection('accounts').createIndex({ role: 1 }, { unique: true, name: 'roles' });
  const stderr = expect.stringContaining('index: roles (code 11000)');
  expect(await moveAll()).toMatchObject({ code: 1, stdout: '', stderr });
});

test('one database of a folder is moved, and the others are named', async () => {
  await write((db) => db.collection('accounts').insertMany(people(1)), 'clinic');
  const other = await moveAll('--database', 'other');
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('It has clinic: see --database.')]);
  await write((db) => db.collection('notes').insertOne({}), 'notes');
  const none = await moveAll();
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no database auth_gateway')]);
  const moved = await moveAll('--database', 'clinic');
  expect([moved.code, moved.stdout]).toEqual([0, expect.stringContaining('Not moved: the databases notes')]);
  expect(await target.db.collection('notes').countDocuments()).toBe(0);
});

test('a folder that is in use is refused', () =>
  write(async () => {
    const settings = { DATA_DIR: inFolder(), MONGODB_URI: target.uri };
    const stderr = expect.stringContaining(`in use by process ${process.pid}`);
    expect(await runProgram('auth-gateway.js', ['db', 'move'], settings)).toMatchObject({ code: 2, stderr });
  }));

const HOST = ['--to', 'mongodb://host'];
const REFUSED: [words: string[], settings: Record<string, string>, text: string][] = [
  [[], {}, 'give --to, or set MONGODB_URI'],
  [['--to', 'mysql://a:s3cret@host'], {}, '--to must be a mongodb://'],
  [['mongodb://a:s3cret@host'], {}, 'given with --to'],
  [['--to', 'mongodb://a:s3cret@host/?tls=maybe'], {}, 'The target cannot be opened'],
  [[], { MONGODB_URI: 'mysql://a:s3cret@host' }, 'MONGODB_URI must be'],
  [HOST, { DATA_DIR: ':memory:' }, 'DATA_DIR is :memory:'],
  [[...HOST, '--path', 'no-such-folder'], {}, 'no embedded database'],
  [[...HOST, '--path', ''], {}, '--path must be a folder'],
  [[...HOST, '--database', ''], {}, '--database must name a database'],
  [['--from', 'x'], {}, 'There is no option --from'],
];

test('a wrong command line or setting is refused with a sentence, which has no password', async () => {
  await write((db) => db.collection('accounts').insertMany(people(1)));
  for (const [words, settings, text] of REFUSED) {
    const result = await move(words, { DATA_DIR: inFolder(), ...settings });
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(text) });
    expect(result.stderr).not.toContain('s3cret');
  }
});
