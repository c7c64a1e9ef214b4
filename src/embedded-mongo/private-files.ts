import { chmodSync, rmSync, statSync } from 'node:fs';

/** What is stored may be anybody's health data: only for the user that the engine runs as. */
export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

const FOR_OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Takes away what group and others may do with a file or folder that was there before. What belongs to another user
 * stays as it is, and so does a sticky folder such as /tmp, which is shared on purpose: what lies in it is kept private
 * by its own mode.
 */
export function keepToOwner(path: string): void {
  const { mode, uid } = statSync(path);
  const isOwn = uid === process.getuid?.();
  if (isOwn && (mode & STICKY) === 0 && (mode & FOR_OTHERS) !== 0) chmodSync(path, mode & ~FOR_OTHERS);
}

/**
 * How to open a file that only this user can read, whatever has its name: an older file would keep its mode, and a link
 * would lead elsewhere.
 */
export function replacing(path: string): { flag: 'wx'; flags: 'wx'; mode: number } {
  rmSync(path, { force: true });
  return { flag: 'wx', flags: 'wx', mode: PRIVATE_FILE };
}
