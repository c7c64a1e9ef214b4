import { chmod } from 'node:fs/promises';

/** The user `nobody`, on any Linux. */
const NOBODY = 65_534;

/**
 * Takes the permission to write in a folder away while something runs. Permissions do not apply to root, so where the
 * tests run as root, they stop being so meanwhile.
 * @param mode what is permitted instead
 */
export async function withoutPermission<T>(folder: string, run: () => Promise<T>, mode = 0o555): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  await chmod(folder, mode);
  if (isRoot) {
    process.seteuid?.(NOBODY);
  }
  try {
    return await run();
  } finally {
    if (isRoot) {
      process.seteuid?.(0);
    }
    await chmod(folder, 0o777);
  }
}
