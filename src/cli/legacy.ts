import { loadEnvironment } from '../config/config.ts';
import { runLegacy } from './legacy/run-legacy.ts';

/*
 * npm run legacy -- <command>: commands for operators who move in from the legacy service. See `-- --help`.
 */
process.exitCode = await runLegacy(process.argv.slice(2), loadEnvironment, process);
