import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** A new folder for all tests of the file. Gives the path of a name in it. */
export function useFolder(): (...names: string[]) => string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return (...names) => join(folder, ...names);
}

/** Runs Node.js until it prints something. Its standard error is shown. */
export async function startNode(...words: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

/** Runs a script as a program, as {@link startNode} does. */
export const startScript = (script: string, ...flags: string[]): Promise<ChildProcess> =>
  startNode(...flags, '--input-type=module', '--eval', script);

/** Kills a program, and waits for its end. */
export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'close');
}
