import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Lists the files below some paths, in a fixed order.
 * @param root the folder that all paths are relative to
 * @param paths files and folders; what does not exist has no files
 * @param ignored folders to leave out
 * @returns paths relative to `root`, with `/` on every system
 */
export function listFiles(root, paths, ignored = []) {
  const files = [];
  const visit = (folder) => {
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const relative = `${folder}/${entry.name}`;
      if (!entry.isDirectory()) {
        files.push(relative);
      } else if (!ignored.includes(relative)) {
        visit(relative);
      }
    }
  };
  for (const one of paths) {
    if (statSync(path.join(root, one), { throwIfNoEntry: false })?.isDirectory()) {
      visit(one);
    } else {
      files.push(one);
    }
  }
  return files.sort();
}

/**
 * A short text that changes when a file is written, added, renamed or removed. It comes from what the file system knows, so
 * that no file is read. The time of the last change of the inode (ctime) is part of it: unlike mtime, no program can set it,
 * so a file that was restored with an old date counts as changed.
 */
export function fingerprint(root, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const stats = statSync(path.join(root, file), { throwIfNoEntry: false });
    hash.update(
      `${file}\0${stats ? `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino}` : 'none'}\n`,
    );
  }
  return hash.digest('hex');
}
