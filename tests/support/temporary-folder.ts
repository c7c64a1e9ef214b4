import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder outside of this repository for all tests of the file or block, which is removed after them. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'auth-gateway-test-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
