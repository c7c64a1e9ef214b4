import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskRoom } from '../src/storage/disk-room.ts';

const MEBIBYTE = 1024 * 1024;
const PAGES = Buffer.alloc(8192, 'p');

let folder: string;
let file: string;
let room: DiskRoom;
let looks: number;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'embedded-mongo-room-'));
  file = path.join(folder, 'data.mdb');
  await writeFile(file, PAGES);
  looks = 0;
  room = new DiskRoom(file, () => {
    looks += 1;
    return PAGES.length;
  });
});
afterEach(async () => {
  room.close();
  await rm(folder, { recursive: true });
});

const sizeBytes = async () => (await stat(file)).size;

test('the file is extended behind what it holds, before anything is written', async () => {
  expect(room.take()).toBe(true);
  expect(await sizeBytes()).toBeGreaterThan(PAGES.length + MEBIBYTE);
  expect((await readFile(file)).subarray(0, PAGES.length)).toEqual(PAGES);
});

test('it is looked again every few writes, and a file with room is left as it is', async () => {
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

test('after a commit that failed nobody is let in for a while, and twice as much is kept, however many tell of it', async () => {
  room.take();
  for (let i = 0; i < 5; i += 1) {
    room.noteFull();
  }
  expect(room.take()).toBe(false);
  await sleep(600);
  expect(room.take()).toBe(true);
  expect(await sizeBytes()).toBeGreaterThan(PAGES.length + 2 * MEBIBYTE);
  expect(await sizeBytes()).toBeLessThan(PAGES.length + 4 * MEBIBYTE);
});

test('closing twice closes once', () => {
  room.close();
  room.close();
});
