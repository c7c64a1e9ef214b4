import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { jest } from '@jest/globals';
import { LocalDocumentStore } from '../../../src/documents/local-document-store.ts';
import { Quarantine } from '../../../src/documents/quarantine.ts';

/** A test cannot cut the power. It checks that the document is flushed before the answer. */
test('a document and its name are flushed to the disk before it counts as kept', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'auth-gateway-durable-'));
  const probe = await open(root, 'r');
  const sync = jest.spyOn(Object.getPrototypeOf(probe), 'sync');
  try {
    const quarantine = new Quarantine(root, 1_000);
    const store = new LocalDocumentStore(root);
    await Promise.all([quarantine.prepare(), store.prepare()]);
    const received = await quarantine.receive(Readable.from([Buffer.from('%PDF-1.4')]), 'license.pdf');
    expect(sync).toHaveBeenCalledTimes(1);
    await store.keep('licenses', received);
    expect(sync).toHaveBeenCalledTimes(2);
  } finally {
    sync.mockRestore();
    await probe.close();
    await rm(root, { recursive: true });
  }
});

test('a placed document, its name and the new folders are flushed to the disk', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'auth-gateway-durable-'));
  const source = path.join(root, 'source');
  await writeFile(source, '%PDF-1.4');
  const probe = await open(root, 'r');
  const sync = jest.spyOn(Object.getPrototypeOf(probe), 'sync');
  try {
    const store = new LocalDocumentStore(root);
    const place = () => store.place(`doctor_profiles/licenses/${'n'.repeat(40)}.pdf`, source);
    await place();
    // The two folders above the file have new entries, then the file itself, then its folder.
    expect(sync).toHaveBeenCalledTimes(4);
    await place();
    expect(sync).toHaveBeenCalledTimes(6);
  } finally {
    sync.mockRestore();
    await probe.close();
    await rm(root, { recursive: true });
  }
});
