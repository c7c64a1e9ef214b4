import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DiskSpace } from '../src/storage/disk-space.ts';

const MEBIBYTE = 1024 * 1024;
const PAGES = Buffer.alloc(8192, 'p');

let folder: string;
let file: string;
let space: DiskSpace;
let looks: number;
let nowMillis: number;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'embedded-mongo-room-'));
  file = path.join(folder, 'data.mdb');
  await writeFile(file, PAGES);
  looks = 0;
  nowMillis = 0;
  const usedBytes = () => {
    looks += 1;
    return PAGES.length;
  };
  space = new DiskSpace(file, usedBytes, () => nowMillis);
});
afterEach(async () => {
  space.close();
  await rm(folder, { recursive: true });
});

const sizeBytes = async () => (await stat(file)).size;

test('the first write extends the file behind its pages', async () => {
  expect(space.take()).toBe(true);
  expect(await sizeBytes()).toBeGreaterThan(PAGES.length + MEBIBYTE);
  expect((await readFile(file)).subarray(0, PAGES.length)).toEqual(PAGES);
});

test('the room is looked at every eighth write, and a file with room keeps its size', async () => {
  space.take();
  const before = await sizeBytes();
  space.release();
  for (let i = 1; i < 80; i += 1) {
    expect(space.take()).toBe(true);
    space.release();
  }
  expect(looks).toBe(10);
  expect(await sizeBytes()).toBe(before);
});

test('a failed commit refuses writes for half a second and doubles the reserve once, however many writes report it', async () => {
  space.take();
  for (let i = 0; i < 5; i += 1) {
    space.noteFull();
  }
  expect(space.take()).toBe(false);
  nowMillis = 499;
  expect(space.take()).toBe(false);
  nowMillis = 500;
  expect(space.take()).toBe(true);
  expect(await sizeBytes()).toBeGreaterThan(PAGES.length + 2 * MEBIBYTE);
  expect(await sizeBytes()).toBeLessThan(PAGES.length + 4 * MEBIBYTE);
});

test('the room counts as gone for two seconds after a failed commit, and then comes back by itself', () => {
  expect(space.canServe()).toBe(true);
  nowMillis = 10_000;
  space.noteFull();
  expect(space.canServe()).toBe(false);
  nowMillis = 11_999;
  expect(space.take()).toBe(true);
  expect(space.canServe()).toBe(false);
  nowMillis = 12_000;
  expect(space.canServe()).toBe(true);
});

test('a second close does nothing', () => {
  space.close();
  space.close();
});
