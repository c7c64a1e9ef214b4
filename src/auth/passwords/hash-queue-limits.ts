/** Limits of the jobs that wait for their turn. */
export interface HashQueueLimits {
  maxWaiting: number;
  maxWaitMillis: number;
}

export const HASH_QUEUE_LIMITS: HashQueueLimits = {
  // One address has at most a hundred logins under way (`RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE`), so ten cannot fill it.
  maxWaiting: 1024,
  maxWaitMillis: 1_500,
};
