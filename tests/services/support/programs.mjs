import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/**
 * What the tests of this tier need from Debian. Without a program, the tests of its `folder` are left out, or where there
 * is none, those cases that ask for it.
 */
const PROGRAMS = [
  { program: 'tmux', folder: '/tests/services/terminal/' },
  { program: 'curl', folder: '/tests/services/terminal/' },
  { program: 'bash', folder: '/tests/services/terminal/' },
  { program: 'zsh' },
];

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

/** The programs that this machine does not have, and what is left out without each. */
export const missingPrograms = () => PROGRAMS.filter(({ program }) => !isInstalled(program));
