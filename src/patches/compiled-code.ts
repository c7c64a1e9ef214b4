// Node.js 22.1 and later: the cache of compiled code, which Node.js 20 does not have, nor its types.
//
// Why: without it, each start compiles all code again.
// It can become a plain call when tests/unit/patches/compiled-code.test.ts fails, because Node.js 20 is not supported any more.
import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import module from 'node:module';
import path from 'node:path';

/**
 * Keeps the compiled code of all modules in a folder, so that the next start does not compile them again. A start never fails
 * for it: without a folder that can be used, everything is compiled.
 *
 * The process runs the code that it finds there. So the folder must belong to its user or to root, and no one else may write to it.
 * Node.js writes when the process ends, and reads what it may not write (an image with a file system that is read only).
 * @param folder of this installation; it is created if that is possible
 */
export function keepCompiledCode(folder: string): void {
  if (enableCompileCache && isTrusted(folder)) {
    enableCompileCache(folder);
  }
}

/** Not in the types of Node.js 20. */
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };

const GROUP_AND_OTHERS_WRITE = 0o022;

function isTrusted(folder: string): boolean {
  make(path.dirname(folder));
  make(folder, 0o700);
  const facts = factsOf(folder);
  return (
    facts?.isDirectory() === true &&
    [0, process.getuid?.()].includes(facts.uid) &&
    (facts.mode & GROUP_AND_OTHERS_WRITE) === 0
  );
}

/** Not with `recursive`, which never returns in some file systems (/proc). */
function make(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch {
    // It exists, or it cannot be made.
  }
}

/** @returns undefined if there is nothing, or this process may not enter a folder above it */
function factsOf(folder: string): Stats | undefined {
  try {
    return lstatSync(folder);
  } catch {
    return undefined;
  }
}
