import { memoryRow } from '../support/visits.js';

/** Whatever a gateway keeps of a request would show here. */
export const row = memoryRow({ few: 100_000, many: 1_000_000, most: 1.05, mostRounds: 1 });
