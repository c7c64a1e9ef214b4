import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { jest } from '@jest/globals';
import { LocalDocumentStore } from '../../../src/documents/local-document-store.ts';
import { Quarantine } from '../../../src/documents/quarantine.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

// A test cannot cut the power. These check that a document is flushed before the answer.
const inFolder = folderOfEachTest();
let probe: FileHandle;
let sync: jest.SpiedFunction<FileHandle['sync']>;
beforeEach(async () => {
  probe = await open(inFolder(), 'r');
  sync = jest.spyOn(Object.getPrototypeOf(probe) as FileHandle, 'sync');
});
afterEach(async () => {
  sync.mockRestore();
  await probe.close();
});

test('a document and its name are flushed to the disk before it counts as kept', async () => {
  const quarantine = new Quarantine(inFolder(), 1_000);
  const store = new LocalDocumentStore(inFolder());
  await Promise.all([quarantine.prepare(), store.prepare()]);
  const received = await quarantine.receive(Readable.from([Buffer.from('%PDF-1.4')]), 'license.pdf');
  expect(sync).toHaveBeenCalledTimes(1);
  await store.keep('licenses', received);
  expect(sync).toHaveBeenCalledTimes(2);
});

test('a placed document, its name and the new folders are flushed to the disk', async () => {
  await writeFile(inFolder('source'), '%PDF-1.4');
  sync.mockClear();
  const store = new LocalDocumentStore(inFolder());
  const place = () => store.place(`doctor_profiles/licenses/${'n'.repeat(40)}.pdf`, inFolder('source'));
  await place();
  // The two folders above the file have new entries, then the file itself, then its folder.
  expect(sync).toHaveBeenCalledTimes(4);
  await place();
  expect(sync).toHaveBeenCalledTimes(6);
});
