import module from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildHere, ROOT } from './build/build-here.js';

/*
 * Builds what has changed, and runs a program in this process, which saves the start of another one.
 *   node scripts/run.js TARGET[,TARGET] PROGRAM [WORD ...]
 */
const [names = '', program = '', ...words] = process.argv.slice(2);
await buildHere(names.split(','));
// Node.js 22.1 and later keep the compiled code there. It is not shared with other users, unlike the default folder.
module.enableCompileCache?.(path.join(ROOT, 'node_modules/.cache/node'));
const file = path.resolve(ROOT, program);
process.argv = [process.execPath, file, ...words];
await import(pathToFileURL(file).href);
