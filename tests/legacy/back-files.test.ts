import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LocalDocumentStore } from '../../src/documents/local-document-store.ts';
import { reasonAgainstFiles, writeFilesBack } from '../../src/legacy/back/back-files.ts';
import { toLegacyPath } from '../../src/legacy/records/profile-kind.ts';

const NAMED = 'doctor_profiles/licenses/scan of licence.pdf';
const RANDOM = `doctor_profiles/licenses/${'n'.repeat(40)}.pdf`;
const OF_GATEWAY = `licenses/${'g'.repeat(40)}.pdf`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-back-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(side: 'here' | 'there', storedPath: string, text: string): Promise<void> {
  const file = path.join(folder, side, storedPath);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Writes documents back. @returns the reason against it, and the number of copied files */
async function writeBack(...storedPaths: string[]) {
  await mkdir(path.join(folder, 'here'), { recursive: true });
  const documents = new LocalDocumentStore(path.join(folder, 'here'));
  const context = { documents, filesDir: path.join(folder, 'there') } as never;
  const state = { context, isDryRun: false, copied: new Set<string>() };
  const reason = await reasonAgainstFiles(state, storedPaths);
  if (reason === undefined) {
    await writeFilesBack(state, storedPaths);
  }
  return { reason, files: state.copied.size };
}

test('a document of the gateway and one that is missing there are copied, once', async () => {
  await put('here', OF_GATEWAY, 'new');
  await put('here', NAMED, 'scan');
  expect(await writeBack(OF_GATEWAY, NAMED)).toEqual({ reason: undefined, files: 2 });
  expect(await readFile(path.join(folder, 'there/doctor_profiles', OF_GATEWAY), 'utf8')).toBe('new');
  expect(await readFile(path.join(folder, 'there', NAMED), 'utf8')).toBe('scan');
  expect(await writeBack(OF_GATEWAY, NAMED)).toEqual({ reason: undefined, files: 0 });
});

test('a file there that has changed under its name is not overwritten, and reported', async () => {
  for (const [here, there] of [
    ['scan', 'sc4n'],
    ['scan', 'longer'],
  ] as const) {
    await put('here', NAMED, here);
    await put('there', NAMED, there);
    const { reason } = await writeBack(NAMED);
    expect(reason).toBe('the legacy service has another file with the name of a document');
    expect(await readFile(path.join(folder, 'there', NAMED), 'utf8')).toBe(there);
  }
});

test('a random name says that the file there is the document', async () => {
  await put('here', RANDOM, 'scan');
  await put('there', RANDOM, 'not looked at');
  expect(await writeBack(RANDOM)).toEqual({ reason: undefined, files: 0 });
});

test('an imported document that neither side has is no reason against its profile, one of the gateway is', async () => {
  expect(await writeBack(NAMED, RANDOM)).toEqual({ reason: undefined, files: 0 });
  expect(await writeBack(OF_GATEWAY)).toEqual({ reason: 'a document of it is missing here', files: 0 });
});

test.each(['../outside.pdf', '/etc/hostname', 'doctor_profiles/../../outside.pdf', 'doctor_profiles/', ''])(
  'nothing is read or written at %j, which is no path of a document',
  async (storedPath) => {
    await writeFile(path.join(folder, 'outside.pdf'), 'secret');
    expect(await writeBack(storedPath)).toEqual({ reason: undefined, files: 0 });
    expect((await readdir(folder)).sort()).toEqual(['here', 'outside.pdf']);
  },
);

test('only paths of the gateway get another form in the legacy service', () => {
  expect(toLegacyPath(OF_GATEWAY)).toBe(`doctor_profiles/${OF_GATEWAY}`);
  expect(toLegacyPath('doctor_profiles/')).toBe('');
  for (const storedPath of [NAMED, RANDOM, 'uploads/x.pdf', '../x.pdf']) {
    expect(toLegacyPath(storedPath)).toBe(storedPath);
  }
});
