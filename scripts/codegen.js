import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

/*
 * Runs GraphQL Code Generator, with these words. Its 255 packages are a project of their own, so that `npm install` need not
 * bring them to everyone. They are installed here, the first time and after each change of their lock file.
 */
const FOLDER = path.resolve(import.meta.dirname, '../codegen');

const timeOf = (file) => statSync(path.join(FOLDER, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

function run(program, words, options) {
  const { status } = spawnSync(program, words, { stdio: 'inherit', ...options });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}

// npm writes its list of what is installed at the end.
if (timeOf('package-lock.json') > timeOf('node_modules/.package-lock.json')) {
  process.stderr.write('Installing GraphQL Code Generator in codegen/ …\n');
  const shell = process.platform === 'win32';
  run('npm', ['ci', '--no-audit', '--no-fund', '--engine-strict', '--silent'], { cwd: FOLDER, shell });
}
const cli = path.join(FOLDER, 'node_modules/@graphql-codegen/cli/esm/bin.js');
// It looks for its plugins from here.
const env = { ...process.env, NODE_PATH: path.join(FOLDER, 'node_modules') };
run(process.execPath, [cli, ...process.argv.slice(2)], { cwd: path.dirname(FOLDER), env });
