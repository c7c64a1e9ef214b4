import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

/*
 * Tools with many packages are projects of their own, so that `npm install` need not bring them to everyone. They are installed the first
 * time that they are used, and after each change of their lock file.
 */

const ROOT = path.resolve(import.meta.dirname, '..');

/** Runs a program to its end. This process ends with it if it fails. */
export function run(program, words, options) {
  const { status } = spawnSync(program, words, { stdio: 'inherit', ...options });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}

/**
 * Installs a project of its own, unless it is.
 * @param name of its folder
 * @param title what it is, for a line on standard error
 * @returns its folder
 */
export function installProject(name, title) {
  const folder = path.join(ROOT, name);
  const timeOf = (file) => statSync(path.join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // npm writes its list of what is installed at the end.
  if (timeOf('package-lock.json') > timeOf('node_modules/.package-lock.json')) {
    process.stderr.write(`Installing ${title} in ${name}/ …\n`);
    const words = ['ci', '--no-audit', '--no-fund', '--engine-strict', '--ignore-scripts', '--silent'];
    run('npm', words, { cwd: folder, shell: process.platform === 'win32' });
  }
  return folder;
}
