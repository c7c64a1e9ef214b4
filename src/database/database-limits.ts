/**
 * How long one step may wait for a database that does not answer: finding a server, opening a connection, getting one, an
 * exchange on it. auth/time-budget.ts limits the wait of a request in all.
 */
const MAX_STEP_MILLIS = 900;

/** The limits of the driver, by the names of its options. */
export interface DatabaseLimits {
  serverSelectionTimeoutMS: number;
  connectTimeoutMS: number;
  waitQueueTimeoutMS: number;
  socketTimeoutMS: number;
}

/** For serving requests. */
export const DATABASE_LIMITS: DatabaseLimits = {
  serverSelectionTimeoutMS: MAX_STEP_MILLIS,
  connectTimeoutMS: MAX_STEP_MILLIS,
  // By default, requests would wait for ever and pile up.
  waitQueueTimeoutMS: MAX_STEP_MILLIS,
  socketTimeoutMS: MAX_STEP_MILLIS,
};
