import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDataFolder } from '@auth-gateway/embedded-mongo/tools';
import { Store } from '../src/storage/store.ts';
import { useFolder } from './support/folder.ts';

const PAGE_BYTES = 4096;
/** Where meta pages begin: the two, and the flushed one within the first. */
const METAS = [0, PAGE_BYTES / 2, PAGE_BYTES];
const DOCUMENTS = 3000;
const [LAST_PAGE, MAIN_ROOT, FREE_ROOT, PAGE_SIZE, VERSION] = [144, 136, 88, 48, 28];

const inFolder = useFolder();
const BASE = inFolder('base');
beforeAll(async () => {
  const store = Store.open(BASE);
  const key = (number: number) => Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, number >> 8, number & 255]);
  const all = Array.from({ length: DOCUMENTS }, (_, number) => key(number));
  await store.write(() => all.forEach((each) => void store.documents.putSync(each, Buffer.alloc(300, 1))));
  await store.write(() => all.slice(100).forEach((each) => void store.documents.removeSync(each)));
  await store.close();
});

/** Bytes without any order, the same each time. */
const noise = (length: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 32) }, (_, part) =>
      createHash('sha256').update(String(part)).digest(),
    ),
  ).subarray(0, length);

type Damage = (bytes: Buffer) => Buffer;
const filled = (from: number, to?: number, value: Buffer = Buffer.alloc(1)): Damage => {
  return (bytes) => bytes.fill(value, from, to);
};
const inAllMetas = (at: number, ...values: number[]): Damage => {
  return (bytes) => {
    METAS.forEach((meta) => void Buffer.from(values).copy(bytes, meta + at));
    return bytes;
  };
};
const cutTo = (length: number | ((whole: number) => number)): Damage => {
  return (bytes) => bytes.subarray(0, typeof length === 'number' ? length : length(bytes.length));
};

const DAMAGES: [string, Damage][] = [
  ['an empty file', cutTo(0)],
  ['a text', () => Buffer.from('This is no database.\n')],
  ['a long text', () => Buffer.from('This is no database.\n'.repeat(10_000))],
  ['noise', ({ length }) => noise(length)],
  ['zeros', filled(0)],
  ['a first page of zeros', filled(0, PAGE_BYTES)],
  ['half a first page of zeros', filled(0, PAGE_BYTES / 2)],
  ['two first pages of zeros', filled(0, 2 * PAGE_BYTES)],
  ['a first page of noise', filled(0, PAGE_BYTES, noise(PAGE_BYTES))],
  ['a second page of noise', filled(PAGE_BYTES, 2 * PAGE_BYTES, noise(PAGE_BYTES))],
  ['noise after the header', filled(40, 168, noise(128))],
  ['zeros from the third page on', filled(2 * PAGE_BYTES)],
  ['noise from the third page on', filled(2 * PAGE_BYTES, undefined, noise(PAGE_BYTES))],
  ['another magic number', filled(24, 28, Buffer.from('LMDB'))],
  ['another version', inAllMetas(VERSION, 9, 0)],
  ['pages of 0 bytes', inAllMetas(PAGE_SIZE, 0, 0, 0, 0)],
  ['pages of 512 bytes', inAllMetas(PAGE_SIZE, 0, 2, 0, 0)],
  ['pages of 4097 bytes', inAllMetas(PAGE_SIZE, 1, 16, 0, 0)],
  ['pages of 1 MiB', inAllMetas(PAGE_SIZE, 0, 0, 16, 0)],
  ['a root behind the end', inAllMetas(MAIN_ROOT, 0, 0, 0, 1, 0, 0, 0, 0)],
  ['a root behind every end', inAllMetas(MAIN_ROOT, 255, 255, 255, 255, 255, 255, 255, 127)],
  ['free pages behind the end', inAllMetas(FREE_ROOT, 0, 0, 0, 1, 0, 0, 0, 0)],
  ['a root that is no tree', inAllMetas(MAIN_ROOT, 0, 0, 0, 0, 0, 0, 0, 0)],
  ['a last page that no file has', inAllMetas(LAST_PAGE, 0, 0, 0, 0, 0, 16, 0, 0)],
  ['a byte too many at its beginning', (bytes) => Buffer.concat([Buffer.alloc(1), bytes])],
  ...[1, 100, 167, 168, 2048, 4095, 4096, 4200, 8191, 8192, 8193].map((bytes): [string, Damage] => [
    `only ${bytes} bytes`,
    cutTo(bytes),
  ]),
];

/** A copy of the database whose file has this damage. */
function damaged(name: string, file: string, damage: Damage): string {
  const path = inFolder(name.replaceAll(/\W/g, '-'));
  cpSync(BASE, path, { recursive: true });
  writeFileSync(join(path, file), damage(readFileSync(join(path, file))));
  return path;
}

const SENTENCE = 'is damaged: it is no database, or no longer a whole one.';

const CUT: [string, Damage][] = [
  ['only its third page', cutTo(3 * PAGE_BYTES)],
  ['an eighth of its pages', cutTo((length) => length / 8)],
];

test.each([...DAMAGES, ...CUT])('a database file with %s is refused with a sentence', (name, damage) => {
  const path = damaged(`data ${name}`, 'data.mdb', damage);
  const before = readFileSync(join(path, 'data.mdb'));
  expect(() => openDataFolder(path)).toThrow(`${path}/data.mdb ${SENTENCE} Restore a backup.`);
  expect(readFileSync(join(path, 'data.mdb')).equals(before)).toBe(true);
});

test.each(DAMAGES)(
  'an owner file with %s is refused with a sentence, and not made anew',
  async (name, damage) => {
    const path = damaged(`owner ${name}`, 'owner/data.mdb', damage);
    const advice = `Delete the folder ${path}/owner if no program uses the database: it holds nothing else.`;
    for (const _ of [1, 2]) {
      expect(() => openDataFolder(path)).toThrow(`${path}/owner/data.mdb ${SENTENCE} ${advice}`);
    }
    rmSync(join(path, 'owner'), { recursive: true });
    await openDataFolder(path).close();
  },
);

test.each(['data.mdb', 'lock.mdb', 'owner/data.mdb', 'owner/lock.mdb'])(
  'a folder in the place of %s is refused with a sentence',
  (file) => {
    const path = damaged(`folder ${file}`, 'data.mdb', (bytes) => bytes);
    rmSync(join(path, file));
    mkdirSync(join(path, file));
    expect(() => openDataFolder(path)).toThrow(`${path}/${file} ${SENTENCE}`);
  },
);

/** What a crash can leave, or LMDB does not read. */
test.each<[string, string, Damage]>([
  ['a second page of zeros', 'data.mdb', filled(PAGE_BYTES, 2 * PAGE_BYTES)],
  ['a flushed meta page of zeros', 'data.mdb', filled(PAGE_BYTES / 2, PAGE_BYTES)],
  ['no map size', 'data.mdb', inAllMetas(40, 0, 0, 0, 0, 0, 0, 0, 0)],
  ['a text as lock', 'lock.mdb', () => Buffer.from('no lock')],
  ['an empty lock', 'lock.mdb', cutTo(0)],
  ['a text as lock of the owner', 'owner/lock.mdb', () => Buffer.from('no lock')],
])('a database with %s is opened', async (name, file, damage) => {
  const data = openDataFolder(damaged(`sound ${name}`, file, damage));
  expect(data.verify().problems).toHaveLength(1);
  await data.close();
});

test('a file that lacks free pages at its end is whole, and one that lacks others is not', async () => {
  const path = damaged('short', 'data.mdb', (bytes) => bytes);
  const file = join(path, 'data.mdb');
  const store = Store.open(path);
  const large = Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 255, 255]);
  await store.write(() => {
    store.documents.putSync(large, Buffer.alloc(9_000_000, 1));
    store.documents.removeSync(large);
  });
  await store.close();
  const bytes = readFileSync(file);
  const lastPages = METAS.map((meta) => Number(bytes.readBigUInt64LE(meta + LAST_PAGE)));
  expect(Math.max(...lastPages) * PAGE_BYTES).toBeGreaterThan(bytes.length);
  await openDataFolder(path).close();
  const used = bytes.findLastIndex((byte) => byte !== 0);
  truncateSync(file, used - (used % PAGE_BYTES));
  expect(statSync(file).size).toBeGreaterThan(2 * PAGE_BYTES);
  expect(() => openDataFolder(path)).toThrow(SENTENCE);
});
