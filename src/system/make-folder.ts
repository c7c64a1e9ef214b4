import { chmod, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from './system-errors.ts';

/**
 * Makes a folder, and those above it that are missing. Node's own `recursive` never ends where a folder is there and
 * the system denies that when something is to be made in it, as in /proc or below an automounter.
 * @param mode of the folders that are made
 * @throws an error of the system, such as EACCES, or EEXIST where something else has the name
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  if (await isFolder(folder)) {
    return;
  }
  const parent = path.dirname(folder);
  if (parent !== folder) {
    await makeFolder(parent, mode);
  }
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    // Another process has made it in the meantime.
    if (systemErrorCode(error) !== 'EEXIST' || !(await isFolder(folder))) {
      throw error;
    }
  }
}

const FOR_OTHERS = 0o077;

/**
 * Makes a folder that only the user of this process can enter. An existing folder is closed to others, unless it
 * belongs to another user.
 * @throws as {@link makeFolder}
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  await makeFolder(folder, 0o700);
  const { mode, uid } = await stat(folder);
  if (uid === process.getuid?.() && (mode & FOR_OTHERS) !== 0) {
    await chmod(folder, mode & ~FOR_OTHERS);
  }
}

const isFolder = (name: string): Promise<boolean> =>
  stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  );
