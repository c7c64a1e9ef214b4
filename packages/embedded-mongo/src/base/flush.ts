import { open } from 'node:fs/promises';

/** Writes a file to the disk, or the names in a folder. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
