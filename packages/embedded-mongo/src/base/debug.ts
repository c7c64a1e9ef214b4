import { debuglog } from 'node:util';

/** Writes to standard error with NODE_DEBUG=embedded-mongo: the index of each query, and internal errors. */
export const debug = debuglog('embedded-mongo');
