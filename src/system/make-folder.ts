import { chmod, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from './system-errors.ts';

/**
 * Makes a folder, and missing folders above it. Node's own `recursive` never ends if the system answers ENOENT for a new
 * entry in an existing folder, as in /proc or below an automounter.
 * @param mode the mode of new folders
 * @throws a system error, such as EACCES, or EEXIST if the name belongs to something else than a folder
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
    // Another process may have made it in the meantime.
    if (systemErrorCode(error) !== 'EEXIST' || !(await isFolder(folder))) {
      throw error;
    }
  }
}

const FOR_OTHERS = 0o077;

/**
 * Makes a folder that only the user of this process can enter. For an existing folder, the rights of other users are
 * removed, unless it belongs to another user.
 * @throws the errors of {@link makeFolder}
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
