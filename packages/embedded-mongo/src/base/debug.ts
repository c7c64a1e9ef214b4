import { debuglog } from 'node:util';

/** Written to standard error with NODE_DEBUG=embedded-mongo: which index a query used, and what went wrong inside. */
export const debug = debuglog('embedded-mongo');
