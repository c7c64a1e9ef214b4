import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder for each test of the file. @returns the path of a file in it; without a name that of the folder */
export function useFolder(): (...names: string[]) => string {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-test-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  return (...names) => path.join(folder, ...names);
}
