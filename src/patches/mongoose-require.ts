import { createRequire } from 'node:module';

/** Finds packages as mongoose does: its driver, not another one that may be installed beside it. */
export const requireAsMongoose = createRequire(createRequire(import.meta.url).resolve('mongoose'));
