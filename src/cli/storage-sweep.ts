import { loadEnvironment } from '../config/config.ts';
import { runStorageSweep } from './run-storage-sweep.ts';

/*
 * npm run storage:sweep: runs the sweep that the gateway runs at its start and every hour, and lists the removed orphans.
 * With `-- --dry-run` it only lists them. With `-- --restore` it brings documents back from the trash instead. With
 * `-- --adopt` it marks the document store as that of this database. With `-- --force` it also removes most of the documents,
 * if they are orphans, or adopts a store without a document of this database. With the embedded database, stop the gateway
 * first.
 */
process.exitCode = await runStorageSweep(process.argv.slice(2), loadEnvironment, process);
