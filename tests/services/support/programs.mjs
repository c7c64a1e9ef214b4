import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/**
 * The Debian programs that the tests of this tier need. Without a program, the tests of its `folder` (or the beginning of their files' names) are skipped, or
 * without a folder, the cases that check for the program.
 */
const PROGRAMS = [
  { program: 'tmux', folder: '/tests/services/terminal/' },
  { program: 'curl', folder: '/tests/services/terminal/' },
  { program: 'bash', folder: '/tests/services/terminal/' },
  { program: 'zsh' },
  { program: 'tini' },
  { program: 'php', folder: '/tests/services/php/' },
  { program: 'nginx', folder: '/tests/services/proxies/' },
  { program: 'caddy', folder: '/tests/services/proxies/' },
  { program: 'nginx', folder: '/tests/services/deploy/proxies' },
  { program: 'caddy', folder: '/tests/services/deploy/proxies' },
  { program: 'docker-compose', folder: '/tests/services/deploy/compose' },
  { program: 'systemd-analyze', folder: '/tests/services/deploy/systemd' },
  { program: 'dbus-daemon', folder: '/tests/services/deploy/systemd' },
  { program: 'mariadbd', folder: '/tests/legacy/services/' },
  { program: 'mariadb-install-db', folder: '/tests/legacy/services/' },
  { program: 'tmux', folder: '/tests/legacy/services/import-prompt' },
  { program: 'nginx', folder: '/tests/services/nginx/' },
  { program: 'php', folder: '/tests/legacy/services/' },
  { program: 'nginx', folder: '/tests/legacy/services/' },
  { program: 'pgrep', folder: '/tests/legacy/services/' },
  { program: 'promtool', folder: '/tests/services/prometheus/' },
  { program: 'promtool', folder: '/tests/services/bad-day' },
  { program: 'kubectl', folder: '/tests/services/kubernetes/' },
];

/** PATH, and the folder of Debian's servers, which only the PATH of root contains. */
export const SEARCH_PATH = [process.env.PATH ?? '', '/usr/sbin'].join(path.delimiter);

/** True if a program is in one of the folders of SEARCH_PATH. */
export function isInstalled(program) {
  return SEARCH_PATH.split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The programs that this machine does not have, and the tests that are skipped without each. */
export const missingPrograms = () => PROGRAMS.filter(({ program }) => !isInstalled(program));
