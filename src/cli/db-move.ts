import { setFlagsFromString } from 'node:v8';
import { loadEnvironment } from '../config/config.ts';
import { runDbMove } from './run-db-move.ts';

/*
 * npm run db:move: copies the embedded database into a MongoDB. See `-- --help`.
 */
// As for `npm run legacy`: the heap would fill with garbage of millions of documents before it is cleaned.
setFlagsFromString('--heap-growing-percent=60');
process.exitCode = await runDbMove(process.argv.slice(2), loadEnvironment, process);
