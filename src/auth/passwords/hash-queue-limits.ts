/** Limits of the jobs that wait for their turn. */
export interface HashQueueLimits {
  /** For the jobs of known requesters, and once more for those of strangers. */
  maxWaiting: number;
  /** Known requesters wait as long as it takes. */
  maxStrangerWaitMillis: number;
}

export const HASH_QUEUE_LIMITS: HashQueueLimits = {
  // Each holds its request, some 20 KB. Whoever fills the places loses them to others (fair-queue.ts).
  maxWaiting: 1024,
  // Networks take turns, so a long wait is a long line of one's own network, or a flood from very many. On the first morning
  // after an import nobody has a known place: two cores let 80 people of one address in within this time.
  maxStrangerWaitMillis: 10_000,
};
