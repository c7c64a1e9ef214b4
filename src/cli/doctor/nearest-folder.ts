import { stat } from 'node:fs/promises';
import path from 'node:path';

/** The folder itself if it exists, else the nearest folder above it that does. */
export async function nearestFolder(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const parent = path.dirname(folder);
  return isThere || parent === folder ? folder : nearestFolder(parent);
}
