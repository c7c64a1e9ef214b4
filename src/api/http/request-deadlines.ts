/** How long the sender of a request may take. Uploads have their own settings. */
export interface RequestDeadlines {
  /** From the connection, or its last answer, to the end of the headers. */
  headersMillis: number;
  /** For a body without documents. */
  jsonBodyMillis: number;
  /** How long a connection may be silent, in addition to the time that the sender of a body may stall. */
  idleMillis: number;
  /** How often Node looks for connections that have exceeded a deadline. */
  checkIntervalMillis: number;
}

/** Far longer than a phone with a weak signal needs, and short enough that held connections do not add up. */
export const REQUEST_DEADLINES: RequestDeadlines = {
  headersMillis: 10_000,
  jsonBodyMillis: 15_000,
  idleMillis: 10_000,
  checkIntervalMillis: 2_000,
};
