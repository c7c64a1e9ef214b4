import { existsSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { listFiles } from './fingerprint.js';

/** What the compiler makes of a source, and the endings of the source. */
const OUTPUT = /^(.+?)\.(?:d\.)?(?:([mc]?)js|([mc]?)ts)(?:\.map)?$/;

/**
 * Removes the compiled files whose source is gone. The compiler leaves them, and a program that still imports one would run
 * here and fail in a new clone.
 * @param compiled pairs of a folder with sources and the folder with what was compiled of them
 * @param ignored folders to leave out
 */
export function removeOrphans(root, { compiled = [], ignored = [] }) {
  const folders = compiled.map(([, to]) => to);
  for (const [from, to] of compiled) {
    for (const file of listFiles(root, [to], [...ignored, ...folders])) {
      if (isOrphan(root, file, from, to)) {
        rmSync(path.join(root, file), { force: true });
        removeEmpty(root, path.posix.dirname(file), to);
      }
    }
  }
}

function isOrphan(root, file, from, to) {
  const [, stem, script, types] = OUTPUT.exec(file.slice(to.length)) ?? [];
  if (stem === undefined) {
    return false;
  }
  const kind = script ?? types ?? '';
  return !['ts', 'tsx'].some((ending) => existsSync(path.join(root, `${from}${stem}.${kind}${ending}`)));
}

/** Removes a folder, and those around it, as long as they are empty. */
function removeEmpty(root, folder, end) {
  if (folder === end) {
    return;
  }
  try {
    rmdirSync(path.join(root, folder));
  } catch {
    return;
  }
  removeEmpty(root, path.posix.dirname(folder), end);
}
