import { stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Finds the folder itself if it exists, else the nearest folder above it that does.
 * @throws an error for people if one of these names belongs to something else
 */
export async function nearestFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (found && !found.isDirectory()) {
    throw new Error(`${folder} is not a folder`);
  }
  const parent = path.dirname(folder);
  return found || parent === folder ? folder : nearestFolder(parent);
}
