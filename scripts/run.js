import { readFileSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * Builds what has changed, and runs a program in this process, which saves the start of another one.
 *   node scripts/run.js TARGET[,TARGET] PROGRAM [WORD ...]
 */
const [names = '', program = '', ...words] = process.argv.slice(2);
// Before the build is loaded: an older Node.js fails in it, with a stack.
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [oldest, given] = [engines.node.slice(2), process.versions.node].map((version) =>
  version.split('.').map(Number),
);
if (given[0] < oldest[0] || (given[0] === oldest[0] && given[1] < oldest[1])) {
  process.stderr.write(
    `Node.js ${process.versions.node} is too old. Install ${oldest.join('.')} or later, best 24.\n`,
  );
  process.exit(1);
}
const { buildHere, ROOT } = await import('./build/build-here.js');
await buildHere(names.split(','));
// Node.js 22.1 and later keep the compiled code there. It is not shared with other users, unlike the default folder.
module.enableCompileCache?.(path.join(ROOT, 'node_modules/.cache/node'));
const file = path.resolve(ROOT, program);
process.argv = [process.execPath, file, ...words];
await import(pathToFileURL(file).href);
