import { open } from 'node:fs/promises';

/** Writes a file to the disk. */
export const flushFile = (path: string): Promise<void> => flush(path, 'r+');

/** Writes the names in a folder to the disk. Windows cannot, and does so by itself. */
export async function flushFolder(path: string): Promise<void> {
  if (process.platform !== 'win32') {
    await flush(path, 'r');
  }
}

async function flush(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  await handle.sync().finally(() => handle.close());
}
