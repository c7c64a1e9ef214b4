import { lifeOf, memoryRow } from '../support/visits.js';

export const row = memoryRow({
  few: 1000,
  many: 100_000,
  most: 1.1,
  async notes(counts) {
    const embedded = lifeOf({ isEmbedded: true, ...counts });
    return {
      'with the embedded database in the process, MiB after only 1,000': await embedded.afterFew(),
      'with the embedded database in the process, MiB': await embedded.afterMany(),
    };
  },
});
