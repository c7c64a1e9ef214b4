import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

/*
 * Runs Jest in this folder, with the flags that it needs for ES modules. They are in the environment, because its workers need
 * them, too.
 *   node scripts/jest.js [WORD ...]
 */
const FLAGS = '--experimental-vm-modules --disable-warning=ExperimentalWarning --max-semi-space-size=64';

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const child = spawn(process.execPath, [jest, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, NODE_OPTIONS: FLAGS },
});
// A terminal sends its signals to both, and Jest ends first.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => child.kill(signal));
}
const [code, signal] = await once(child, 'close');
process.exitCode = signal === null ? code : 1;
