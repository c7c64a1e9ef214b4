import { mkdtempSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PREFIX = path.join(tmpdir(), 'auth-gateway-test-');

/** A folder outside of this repository for all tests of the file or block, which is removed after them. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(PREFIX);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A new folder for each test. @returns the path of a file in it; without a name that of the folder */
export function folderOfEachTest(): (...names: string[]) => string {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(PREFIX);
  });
  afterEach(() => rm(folder, { recursive: true }));
  return (...names) => path.join(folder, ...names);
}
