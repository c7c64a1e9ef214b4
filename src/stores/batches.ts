import type { Options } from 'dataloader';

/** The look-ups in one query. Further ones go into the next query, so that the database can begin. */
const MAX_BATCH = 16;

/** The options of a data loader whose queries are shared by simultaneous requests. It caches nothing. */
export const inBatchesOfRequests = <K, V>(): Options<K, V> => ({
  cache: false,
  maxBatchSize: MAX_BATCH,
  batchScheduleFn: whenTogetherOrFull(),
});

/** Sends a batch when all simultaneous look-ups are in it. A full batch is sent when the next one begins. */
function whenTogetherOrFull(): (send: () => void) => void {
  let sendLast = () => {};
  return (send) => {
    sendLast();
    const immediate = setImmediate(() => sendLast());
    sendLast = () => {
      sendLast = () => {};
      clearImmediate(immediate);
      send();
    };
  };
}
