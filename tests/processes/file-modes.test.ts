import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { registeredDoctor } from '../support/expectations.ts';
import { EMBEDDED_MONGO, useWorkshop } from '../support/gateway-process.ts';
import { aDoctor } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// The files on the disk contain password hashes and health data: only the user of the service may read them.
const run = promisify(execFile);
const workshop = useWorkshop();

const folder = temporaryFolder();
/** What a gateway that has registered a doctor left behind, for all tests. */
const [dataDir, storageDir] = [path.join(folder, 'data'), path.join(folder, 'storage')];
let umask: number;
beforeAll(async () => {
  umask = process.umask(0o022);
  await serveOnce();
});
afterAll(() => void process.umask(umask));

/** The mode of a file or folder, as `chmod` takes it. */
const modeOf = async (name: string) => ((await stat(name)).mode & 0o7777).toString(8);

/** The modes of a folder and of all its entries, by path. */
async function modesIn(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true });
  const modes = entries.sort().map(async (name) => [name, await modeOf(path.join(root, name))] as const);
  return { '.': await modeOf(root), ...Object.fromEntries(await Promise.all(modes)) };
}

/** Runs a gateway on the embedded database until it has registered a doctor, and stops it. */
async function serveOnce(): Promise<void> {
  const settings = { MONGODB_URI: undefined, DATA_DIR: dataDir, STORAGE_DIR: storageDir };
  const gateway = workshop.start(settings);
  registeredDoctor(await restApi(await gateway.url()).registerDoctor(aDoctor()));
  expect(await gateway.stop()).toBe(0);
}

const DATA_MODES = {
  '.': '700',
  'data.mdb': '600',
  'lock.mdb': '600',
  owner: '700',
  'owner/data.mdb': '600',
  'owner/lock.mdb': '600',
};

test('only the user of the service can read the data and storage folders', async () => {
  expect(await modesIn(dataDir)).toEqual(DATA_MODES);
  const storage = Object.entries(await modesIn(storageDir));
  expect(storage.filter(([name]) => name.endsWith('.pdf')).map(([, mode]) => mode)).toEqual(
    Array(3).fill('600'),
  );
  const folders = Object.fromEntries(storage.filter(([name]) => !name.endsWith('.pdf')));
  expect(folders).toEqual({
    '.': '700',
    '.quarantine': '700',
    '.store-id': '600',
    licenses: '700',
    diplomas: '700',
    certifications: '700',
  });
});

test('a start closes a data folder and a quarantine that were open to other users', async () => {
  const quarantine = path.join(storageDir, '.quarantine');
  for (const [name, mode] of Object.entries(DATA_MODES)) {
    await chmod(path.join(dataDir, name), mode === '700' ? 0o755 : 0o644);
  }
  await chmod(quarantine, 0o755);
  await serveOnce();
  expect(await modesIn(dataDir)).toEqual(DATA_MODES);
  expect(await modeOf(quarantine)).toBe('700');
});

describe('an export', () => {
  const out = path.join(folder, 'out');
  afterEach(() => rm(out, { recursive: true }));
  const exportAll = () => run(process.execPath, [EMBEDDED_MONGO, 'export', '--path', dataDir, '--out', out]);
  const expected = async (): Promise<Record<string, string>> => {
    const files = await readdir(out);
    return { '.': '700', ...Object.fromEntries(files.map((name) => [name, '600'])) };
  };

  test('only its own user can read an export', async () => {
    await exportAll();
    expect(await modesIn(out)).toEqual(await expected());
  });

  test('an export replaces the files of an earlier one and closes them to other users', async () => {
    await exportAll();
    await chmod(out, 0o755);
    for (const name of await readdir(out)) {
      await writeFile(path.join(out, name), 'old');
      await chmod(path.join(out, name), 0o644);
    }
    await exportAll();
    expect(await modesIn(out)).toEqual(await expected());
    expect(await readFile(path.join(out, 'auth_gateway.accounts.json'), 'utf8')).toContain('passwordHash');
  });

  test('an export keeps the mode of a folder with other files, and its own files are private', async () => {
    await mkdir(out);
    await writeFile(path.join(out, 'notes.txt'), 'mine');
    await exportAll();
    expect(await modesIn(out)).toEqual({ ...(await expected()), '.': '755', 'notes.txt': '644' });
  });

  test('an export does not follow a link with the name of one of its files', async () => {
    await mkdir(out);
    const elsewhere = path.join(folder, 'elsewhere');
    await writeFile(elsewhere, 'mine');
    await symlink(elsewhere, path.join(out, 'auth_gateway.accounts.json'));
    await exportAll();
    expect(await readFile(elsewhere, 'utf8')).toBe('mine');
    expect(await modeOf(path.join(out, 'auth_gateway.accounts.json'))).toBe('600');
  });
});
