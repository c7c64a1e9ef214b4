import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ORDINARY_NAMES } from '../support/document-names.ts';
import { LOCAL, s3Store, useStorageWith } from './support/stores.ts';

// Documents of a legacy service, in and out of the trash.

describe.each([LOCAL, s3Store('an S3 server')])('the trash on $name', (kind) => {
  const running = useStorageWith(kind);

  const place = (storedPath: string) => running.place(storedPath, storedPath);

  async function textOf(storedPath: string): Promise<string | undefined> {
    const content = await running.storage.documents.open(storedPath);
    return content && String(await buffer(content));
  }

  async function trashed(): Promise<string[]> {
    const found: string[] = [];
    for await (const { path: storedPath } of running.storage.documents.trash.list()) {
      found.push(storedPath);
    }
    return found;
  }

  test.each(ORDINARY_NAMES)('%j goes to the trash and comes back, and nothing else', async (name) => {
    const { trash } = running.storage.documents;
    const storedPath = `doctor_profiles/a folder/${name}`;
    // A name that is decoded once too often is this one.
    const neighbour = 'doctor_profiles/a folder/A.pdf';
    await place(storedPath);
    await place(neighbour);
    await trash.put(storedPath);
    expect([await textOf(storedPath), await trashed()]).toEqual([undefined, [storedPath]]);
    expect(await textOf(neighbour)).toBe(neighbour);
    expect([await trash.restore(storedPath), await trash.restore(storedPath)]).toEqual([true, false]);
    expect([await textOf(storedPath), await trashed()]).toEqual([storedPath, []]);
  });

  test('a document comes back after the others of its folder were removed', async () => {
    const { documents } = running.storage;
    const [one, other] = ['doctor_profiles/Jane Doe/one.pdf', 'doctor_profiles/Jane Doe/other.pdf'];
    await place(one);
    await place(other);
    await documents.trash.put(one);
    await documents.remove(other);
    expect(await documents.trash.restore(one)).toBe(true);
    expect(await textOf(one)).toBe(one);
  });
});

describe('the trash of the local disk', () => {
  const running = useStorageWith(LOCAL);
  const inStore = (...names: string[]) => path.join(running.app.storageDir, ...names);

  async function aFile(storedPath: string): Promise<void> {
    await mkdir(path.dirname(inStore(storedPath)), { recursive: true });
    await writeFile(inStore(storedPath), storedPath);
  }

  test.each(['put', 'restore', 'remove'] as const)(
    'a path that names a folder leaves what is in it: %s',
    async (act) => {
      const { documents } = running.storage;
      const [here, there] = [`doctor_profiles/${act}/here.pdf`, `doctor_profiles/${act}/there.pdf`];
      await aFile(here);
      await aFile(there);
      await documents.trash.put(there);
      await documents.trash[act](`doctor_profiles/${act}`);
      await documents.remove(`doctor_profiles/${act}`);
      expect([here, there, `.trash/${there}`].map((file) => existsSync(inStore(file)))).toEqual([
        true,
        false,
        true,
      ]);
    },
  );

  test('it takes no file out of a folder that a link leads to', async () => {
    const { trash } = running.storage.documents;
    const others = await mkdtemp(path.join(tmpdir(), 'auth-gateway-trash-'));
    await writeFile(path.join(others, 'scan.pdf'), 'of others');
    await mkdir(inStore('doctor_profiles'), { recursive: true });
    await symlink(others, inStore('doctor_profiles', 'link'));
    await trash.put('doctor_profiles/link/scan.pdf');
    expect(existsSync(path.join(others, 'scan.pdf'))).toBe(true);
    await rm(others, { recursive: true });
  });

  test('documents are listed while they are removed with their folders', async () => {
    const { trash } = running.storage.documents;
    const paths = Array.from(
      { length: 40 },
      (_, index) => `doctor_profiles/doctor ${index % 4}/${index}/scan.pdf`,
    );
    for (const storedPath of paths) {
      await aFile(storedPath);
      await trash.put(storedPath);
    }
    const listed: string[] = [];
    for await (const { path: storedPath } of trash.list()) {
      listed.push(storedPath);
      await trash.remove(storedPath);
    }
    expect(listed.toSorted()).toEqual(expect.arrayContaining(paths.toSorted()));
  });

  test('a folder that another process removes is no error of a list', async () => {
    const { trash } = running.storage.documents;
    const paths = ['one', 'two', 'three'].map((name) => `doctor_profiles/${name}/scan.pdf`);
    for (const storedPath of paths) {
      await aFile(storedPath);
      await trash.put(storedPath);
    }
    let count = 0;
    for await (const _ of trash.list()) {
      count += 1;
      await Promise.all(paths.map((storedPath) => trash.remove(storedPath)));
    }
    expect(count).toBe(1);
  });

  test('the name of a folder goes with its last document', async () => {
    const { documents } = running.storage;
    const storedPath = 'doctor_profiles/Jane Doe/scans/license.pdf';
    const folders = () =>
      ['', '.trash'].map((root) => existsSync(inStore(root, 'doctor_profiles', 'Jane Doe')));
    await aFile(storedPath);
    await documents.trash.put(storedPath);
    expect(folders()).toEqual([false, true]);
    await documents.trash.restore(storedPath);
    expect(folders()).toEqual([true, false]);
    await documents.trash.put(storedPath);
    await documents.remove(storedPath);
    expect(folders()).toEqual([false, false]);
  });
});
