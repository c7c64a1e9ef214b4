import type { TurnLimits } from '../../system/turn-budget.ts';

/** Limits of the jobs that wait for their turn. */
export interface HashQueueLimits {
  /** For the jobs of strangers, for those of known requesters, and for those of known requesters beyond the turns of their network. */
  maxWaiting: number;
  /** Known requesters wait as long as it takes. */
  maxStrangerWaitMillis: number;
  /** How many jobs of known requesters come before strangers, for each address. */
  knownTurns: TurnLimits;
}

export const HASH_QUEUE_LIMITS: HashQueueLimits = {
  // Each holds its request, some 20 KB. Whoever fills the places loses them to others (fair-queue.ts).
  maxWaiting: 1024,
  // Networks take turns, so a long wait is a long line of one's own network, or a flood from very many. On the first morning
  // after an import nobody has a known place: two cores let 80 people of one address in within this time.
  maxStrangerWaitMillis: 10_000,
  // Everybody can register, and then knows a place, so the turns before strangers are few enough to leave most of two cores
  // (eight hashes a second) to strangers. A ward of 100 that logs in at once has them all.
  knownTurns: { atOnce: 150, perMinute: 60 },
};
