import { loadEnvironment } from '../config/config.ts';
import { runStorageSweep } from './storage-sweep/run-storage-sweep.ts';

/*
 * npm run storage:sweep: removes what the gateway removes at its start and every hour, and lists it.
 * With `-- --dry-run` it only lists. With `-- --force` it removes even most of the documents. With the
 * embedded database it runs while the gateway does not.
 */
process.exitCode = await runStorageSweep(process.argv.slice(2), loadEnvironment, process);
