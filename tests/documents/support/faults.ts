import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A storage folder on a disk that is soon full. */
export interface SmallDisk {
  storageDir: string;
  /** What a shell must do before the gateway, so that its disk is small. */
  shell: string;
  remove(): Promise<void>;
}

/**
 * A disk of 64 KiB: a tmpfs where this process may mount one. Where it may not, the gateway is given a limit on the
 * size of its files instead, which the system enforces in the same place and much the same way (EFBIG for ENOSPC).
 */
export async function makeSmallDisk(): Promise<SmallDisk> {
  const storageDir = await mkdtemp(path.join(tmpdir(), 'auth-gateway-small-'));
  const mounted = await execute('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', storageDir]).then(
    () => true,
    () => false,
  );
  return {
    storageDir,
    // In units of 512 bytes.
    shell: mounted ? '' : 'ulimit -f 60 &&',
    remove: async () => {
      if (mounted) {
        await execute('umount', [storageDir]);
      }
      await rm(storageDir, { recursive: true });
    },
  };
}

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
