import { chmodSync, lchownSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The data may be confidential: only the user that runs the engine may read it. */
export const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

const FOR_OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Removes the rights of group and others from an existing file or folder. A file of another user stays as it is. A sticky
 * folder such as /tmp stays as it is, too: it is shared on purpose, and the files in it have private modes of their own.
 */
export function keepToOwner(path: string): void {
  const { mode, uid } = statSync(path);
  const isOwn = uid === process.getuid?.();
  if (isOwn && (mode & STICKY) === 0 && (mode & FOR_OTHERS) !== 0) {
    chmodSync(path, mode & ~FOR_OTHERS);
  }
}

/**
 * Gives a file or folder to the owner of the folder that it is in. An administrator may run a command for the user of the
 * service, who must be able to open what the command has made. That user can put links there: what they lead to stays.
 */
export function giveToFolderOwner(folder: string, name: string): void {
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() === 0 && uid !== 0) {
    lchownSync(join(folder, name), uid, gid);
  }
}

/**
 * Options to open a new file that only this user can read. An existing file or link of that name is removed first: a file
 * would keep its mode, and a link would lead elsewhere.
 */
export function replacing(path: string): { flag: 'wx'; flags: 'wx'; mode: number } {
  rmSync(path, { force: true });
  return { flag: 'wx', flags: 'wx', mode: PRIVATE_FILE };
}
