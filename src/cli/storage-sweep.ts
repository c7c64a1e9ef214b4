import { loadEnvironment } from '../config/config.ts';
import { runStorageSweep } from './run-storage-sweep.ts';

/*
 * npm run storage:sweep: runs the sweep that the gateway runs at its start and every hour. See `-- --help`.
 */
process.exitCode = await runStorageSweep(process.argv.slice(2), loadEnvironment, process);
