import { setFlagsFromString } from 'node:v8';
import { loadEnvironment } from '../config/config.ts';
import { runLegacy } from './commands/run-legacy.ts';

/*
 * npm run legacy -- <command>: commands for operators who move in from the legacy service. See `-- --help`.
 */
// A million rows pass through a small heap. By default it fills with garbage to several times its size before it is cleaned.
setFlagsFromString('--heap-growing-percent=60');
process.exitCode = await runLegacy(process.argv.slice(2), loadEnvironment, process);
