import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** Whether a program is in one of the folders of PATH. */
export function isInstalled(program) {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
