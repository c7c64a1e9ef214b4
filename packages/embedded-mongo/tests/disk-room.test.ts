import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DiskRoom } from '../src/storage/disk-room.ts';

const MEBIBYTE = 1024 * 1024;
const PAGES = Buffer.alloc(8192, 'p');

let folder: string;
let file: string;
let room: DiskRoom;
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
  room = new DiskRoom(file, usedBytes, () => nowMillis);
});
afterEach(async () => {
  room.close();
  await rm(folder, { recursive: true });
});

const sizeBytes = async () => (await stat(file)).size;

test('the first write extends the file behind its pages', async () => {
  expect(room.take()).toBe(true);
  expect(await sizeBytes()).toBeGreaterThan(PAGES.length + MEBIBYTE);
  expect((await readFile(file)).subarray(0, PAGES.length)).toEqual(PAGES);
});

test('the room is looked at every eighth write, and a file with room keeps its size', async () => {
  room.take();
  const before = await sizeBytes();
  room.release();
  for (let i = 1; i < 80; i += 1) {
    expect(room.take()).toBe(true);
    room.release();
  }
  expect(looks).toBe(10);
  expect(await sizeBytes()).toBe(before);
});

test('a failed commit refuses writes for half a second and doubles the reserve once, however many writes report it', async () => {
  room.take();
  for (let i = 0; i < 5; i += 1) {
    room.noteFull();
  }
  expect(room.take()).toBe(false);
  nowMillis = 499;
  expect(room.take()).toBe(false);
  nowMillis = 500;
  expect(room.take()).toBe(true);
  expect(await sizeBytes()).toBeGreaterThan(PAGES.length + 2 * MEBIBYTE);
  expect(await sizeBytes()).toBeLessThan(PAGES.length + 4 * MEBIBYTE);
});

test('the room counts as gone for two seconds after a failed commit, and then comes back by itself', () => {
  expect(room.canServe()).toBe(true);
  nowMillis = 10_000;
  room.noteFull();
  expect(room.canServe()).toBe(false);
  nowMillis = 11_999;
  expect(room.take()).toBe(true);
  expect(room.canServe()).toBe(false);
  nowMillis = 12_000;
  expect(room.canServe()).toBe(true);
});

test('a second close does nothing', () => {
  room.close();
  room.close();
});
