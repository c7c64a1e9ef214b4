import { buildHere } from './build/build-here.js';

/*
 * Builds what has changed since the last build.
 *   node scripts/build.js [gateway] [pages] [packages]     all of them by default
 */
await buildHere(process.argv.slice(2));
