/** Sends SQL as root: a row is an object, a date the text that the server sends. `?` stands for one of the values. */
export type Query = <Row = Record<string, unknown>>(sql: string, values?: unknown[]) => Promise<Row[]>;

/** A MariaDB server of its own, with an empty database. */
export interface MariaDb {
  /** `mysql://` address of the database on loopback, with user and password. Stays the same over kills and starts. */
  uri: string;
  /** The password in it. */
  password: string;
  query: Query;
  /** Ends it as `kill -9` does. Its data stays. */
  kill(): Promise<void>;
  /** Makes it stand still: its connections stay open, and nobody answers. */
  pause(): void;
  resume(): void;
  /** Starts it after a kill. Resolves when it accepts connections. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts MariaDB on a free port of loopback, as the current user.
 * @param options of mariadbd, such as `--default-time-zone=+02:00`
 */
export function startMariaDb(options?: string[]): Promise<MariaDb>;
