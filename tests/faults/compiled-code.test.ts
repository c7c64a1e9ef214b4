import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { DISKS, type Disk } from './support/disks.ts';

/**
 * Keeps its compiled code in a folder, loads a module, and prints where the code is kept. It takes on another user only here,
 * because that user may not be able to enter the folders of Node.js and of the project.
 */
const PROGRAM = `
  import module from 'node:module';
  const { keepCompiledCode } = await import(${JSON.stringify(pathToFileURL('dist/patches/compiled-code.js'))});
  const [folder, loaded, id] = process.argv.slice(1);
  if (id) {
    process.setgid(Number(id));
    process.setuid(Number(id));
  }
  keepCompiledCode(folder);
  await import(loaded);
  process.stdout.write(module.getCompileCacheDir?.() ?? 'nowhere');
`;
const GATEWAY = pathToFileURL('dist/config/config.js').href;
const NOBODY = 65_534;

const run = (folder: string, loaded: string, id: number | '' = '', env = {}) =>
  promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', PROGRAM, folder, loaded, String(id)],
    { env, maxBuffer: 50_000_000 },
  );

/** @returns the folder that Node.js keeps the code in, or `nowhere` */
async function load(folder: string, loaded = GATEWAY, id?: number): Promise<string> {
  const { stdout, stderr } = await run(folder, loaded, id);
  expect(stderr).toBe('');
  return stdout;
}

let parent: string;
let folder: string;
/** A module that every user can read. */
let module: string;
beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'auth-gateway-compiled-'));
  folder = path.join(parent, 'code');
  module = path.join(parent, 'module.mjs');
  await writeFile(module, 'export const answer = () => 42;', { mode: 0o644 });
  await chmod(parent, 0o755);
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const filesIn = async (where: string) =>
  (await readdir(where, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

/** A limit on the size of files would end this process instead. */
const smallDisk = DISKS.find(({ name }) => name === 'a file system of its own');
const testOnSmallDisk = smallDisk ? test : test.skip;
const testAsRoot = process.getuid?.() === 0 ? test : test.skip;

if ('enableCompileCache' in nodeModule) {
  test('compiled code is kept in a folder that only its user can enter', async () => {
    expect(await load(folder)).toContain(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await filesIn(folder)).length).toBeGreaterThan(50);
  });

  test('compiled code that is corrupt or cut off is not used', async () => {
    await load(folder);
    const files = await filesIn(folder);
    for (const [i, file] of files.entries()) {
      const content = await readFile(file);
      await writeFile(file, i % 2 === 0 ? content.subarray(0, 40) : content.fill(7, content.length / 2));
    }
    expect(await load(folder)).toContain(folder);
  });

  test.each([
    ['others can write to', () => mkdir(folder).then(() => chmod(folder, 0o777))],
    ['is a link', () => symlink(tmpdir(), folder)],
    ['is a file', () => writeFile(folder, '')],
  ])('a folder that %s is not used', async (_what, make) => {
    await make();
    expect(await load(folder)).toBe('nowhere');
  });

  testAsRoot('a folder of another user is not used', async () => {
    await mkdir(folder, { mode: 0o755 });
    await chown(folder, 1234, 1234);
    expect(await load(folder)).toBe('nowhere');
  });

  test('a gateway loads without a folder that it can make', async () => {
    expect(await load('/proc/code')).toBe('nowhere');
    await writeFile(folder, '');
    expect(await load(path.join(folder, 'code'))).toBe('nowhere');
  });

  testAsRoot('a gateway loads if another user has closed the folder above', async () => {
    await mkdir(folder, { mode: 0o700 });
    expect(await load(path.join(folder, 'code'), module, NOBODY)).toBe('nowhere');
  });

  testAsRoot('compiled code that belongs to root is read and not written, as in the image', async () => {
    await mkdir(folder);
    await chown(folder, NOBODY, NOBODY);
    await load(folder, module, NOBODY);
    const files = await filesIn(folder);
    expect(files).not.toEqual([]);
    for (const each of [folder, ...files.map((file) => path.dirname(file)), ...files]) {
      await chown(each, 0, 0);
      await chmod(each, 0o755);
    }
    const { stderr } = await run(folder, module, NOBODY, { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' });
    expect(stderr).toContain('was accepted');
    expect(await filesIn(folder)).toEqual(files);
  });

  testOnSmallDisk('a gateway loads while the disk of its compiled code is full', async () => {
    const disk = (await smallDisk?.openDisk()) as Disk;
    try {
      await disk.fill(process.pid);
      await load(path.join(disk.folder, 'code'));
    } finally {
      await disk.remove();
    }
  });
} else {
  test('Node.js 20 keeps no compiled code', async () => {
    expect(await load(folder)).toBe('nowhere');
    await expect(stat(folder)).rejects.toThrow('ENOENT');
  });
}
