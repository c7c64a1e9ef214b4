import { isUtf8 } from 'node:buffer';
import mysql from 'mysql2/promise';
import { type Clock, systemClock } from '../../system/clock.ts';
import { LegacyError } from '../legacy-error.ts';
import { closeLegacy, connectToLegacy, queryLegacy } from './legacy-connection.ts';
import { LegacySql, SUM_CHARACTERS, type SumForm } from './legacy-sql.ts';
import { type Kind, type LegacyTable, type LegacyTables, OPTIONAL_COLUMNS } from './legacy-tables.ts';

/**
 * One row of the legacy database. All values are texts, as the database writes them. A value whose bytes are not UTF-8 has half a
 * surrogate pair, which no valid text has.
 */
export interface LegacyRow {
  /** The primary key; of a profile, the id of its account. */
  key: string;
  /** {@link SUM_CHARACTERS} hexadecimal digits over the key and all values. It changes when one of them does. */
  sum: string;
  /** The values by the names of {@link LegacyTable.columns}. */
  values: Readonly<Record<string, string | null>>;
  /** False for a profile or token whose account does not exist. */
  hasAccount: boolean;
  /** The role of that account; null for a row of accounts. */
  accountRole: string | null;
}

/** What a range of rows has in common with what is remembered of it, as long as none of its rows changes. */
export interface LegacyTotal {
  count: number;
  /** All sums of the range, read as hexadecimal numbers and added up. */
  total: number;
}

/** The server may need a moment to notice that a killed command has gone. */
const LOCK_SECONDS = 5;
/** The connection waits while files are copied. Some servers close connections after a minute. */
const MAX_IDLE_SECONDS = 86_400;
/** Room for the keys of a batch in one text; MySQL's default is 1,024 bytes. */
const MAX_CONCAT_BYTES = 16_777_216;

/** Reads the legacy service's database, MySQL or MariaDB. It writes nothing: only `back` does, with a writer of its own. */
export class LegacyDatabase {
  /** The parts of statements for these tables. */
  readonly sql: LegacySql;

  private constructor(
    readonly connection: mysql.Connection,
    readonly tables: LegacyTables,
    /** The columns of each kind that the tables do not have. */
    readonly absent: Readonly<Record<Kind, readonly string[]>>,
    private readonly clock: Clock,
  ) {
    const names = (kind: Kind) =>
      Object.keys(tables[kind].columns).filter((name) => !absent[kind].includes(name));
    const all = { accounts: names('accounts'), profiles: names('profiles'), tokens: names('tokens') };
    this.sql = new LegacySql(tables, all);
  }

  /**
   * Connects, and checks that all tables and columns are there.
   * @param uri `mysql://user:password@host:port/database`
   * @throws Refusal that names what is missing; Error without the password
   */
  static async open(uri: string, tables: LegacyTables, clock: Clock = systemClock): Promise<LegacyDatabase> {
    const connection = await connectToLegacy(uri);
    const query = (sql: string) => queryLegacy(connection, sql, clock);
    try {
      // A server may ignore the character set of the handshake. It would then replace what its own one does not have by `?`.
      await query('SET NAMES utf8mb4');
      // The mode NO_BACKSLASH_ESCAPES would read the quoted texts differently: a value could end its quotes.
      await query("SET SESSION sql_mode = 'STRICT_ALL_TABLES'");
      await query(
        `SET SESSION group_concat_max_len = ${MAX_CONCAT_BYTES}, wait_timeout = ${MAX_IDLE_SECONDS}`,
      );
      const absent = {
        accounts: await absentColumns(query, tables.accounts),
        profiles: await absentColumns(query, tables.profiles),
        tokens: await absentColumns(query, tables.tokens),
      };
      return new LegacyDatabase(connection, tables, absent, clock);
    } catch (error) {
      await closeLegacy(connection);
      throw error;
    }
  }

  /** The number of rows that an import reads. */
  async count(kind: Kind): Promise<number> {
    const [[row]] = await this.query(
      `SELECT COUNT(*) FROM ${this.sql.from(kind)} WHERE ${this.sql.isOfAccounts(kind)}`,
    );
    return Number(row);
  }

  /**
   * Counts rows by the value of a column.
   * @param characters only so many of its first characters count; by default all
   */
  async countBy(kind: Kind, name: string, characters?: number): Promise<Map<string | null, number>> {
    if (this.absent[kind].includes(name)) {
      return new Map([[null, await this.count(kind)]]);
    }
    const column = this.sql.column(kind, name);
    const value = characters === undefined ? column : `LEFT(${column}, ${characters})`;
    const rows = await this.query(
      `SELECT ${value}, COUNT(*) FROM ${this.sql.from(kind)} WHERE ${this.sql.isOfAccounts(kind)} GROUP BY 1 ORDER BY 2 DESC`,
    );
    return new Map(rows.map(([text, count]) => [asText(text), Number(count)]));
  }

  /** The number of rows with a value in a column. */
  async countGiven(kind: Kind, name: string): Promise<number> {
    if (this.absent[kind].includes(name)) {
      return 0;
    }
    const column = this.sql.column(kind, name);
    const [[count]] = await this.query(
      `SELECT COUNT(${column}) FROM ${this.sql.from(kind)} WHERE ${this.sql.isOfAccounts(kind)}`,
    );
    return Number(count);
  }

  /** The largest key; undefined if there are no rows. */
  async lastKey(kind: Kind): Promise<string | undefined> {
    const [row] = await this.query(
      `SELECT ${this.sql.key(kind)} FROM ${this.sql.from(kind)} WHERE ${this.sql.isOfAccounts(kind)} ORDER BY 1 DESC LIMIT 1`,
    );
    return row === undefined ? undefined : String(row[0]);
  }

  /**
   * The largest number that the database has given as a key, also to a row that was deleted since. Other tables may still
   * have what belonged to that row.
   * @returns undefined if it gives no numbers, as for a view
   */
  async lastGivenKey(kind: Kind): Promise<string | undefined> {
    const show = this.query(`SHOW CREATE TABLE ${mysql.escapeId(this.tables[kind].table, true)}`);
    // Of a view, the user of the move may not see this.
    const [[, text]] = await show.catch(() => [[]] as unknown[][]);
    const [, next] = /^\) .*?\bAUTO_INCREMENT=(\d+)/m.exec(String(text)) ?? [];
    return next === undefined ? undefined : String(BigInt(next) - 1n);
  }

  /**
   * Takes the lock of the commands that write. The server releases it when the connection ends, also after a kill.
   * @returns false if another command has it
   */
  async lock(): Promise<boolean> {
    const name = "LEFT(CONCAT('auth-gateway legacy ', DATABASE()), 64)";
    const [[isLocked]] = await this.query(`SELECT GET_LOCK(${name}, ${LOCK_SECONDS})`);
    return Number(isLocked) === 1;
  }

  /**
   * Reads the next rows in the order of their keys.
   * @param after the key of the last row that was read; undefined at the beginning
   */
  page(kind: Kind, after: string | undefined, limit: number): Promise<LegacyRow[]> {
    const isAfter = this.sql.isBetween(kind, after, undefined);
    return this.#rows(kind, `${isAfter} ORDER BY ${this.sql.key(kind)} LIMIT ${limit}`);
  }

  /** Reads the rows of a range, in any order. Its ends are those of {@link sums}. */
  range(kind: Kind, after: string | undefined, upTo: string): Promise<LegacyRow[]> {
    return this.#rows(kind, this.sql.isBetween(kind, after, upTo));
  }

  /** Reads the rows with these keys, in the order of the keys. */
  async rows(kind: Kind, keys: readonly string[]): Promise<LegacyRow[]> {
    if (keys.length === 0) {
      return [];
    }
    const list = mysql.escape([...keys]);
    return this.#rows(kind, `${this.sql.key(kind)} IN (${list}) ORDER BY ${this.sql.key(kind)}`);
  }

  /**
   * The keys and sums of a range, which costs far less than its rows.
   * @param after the range begins behind this key; undefined: at the first row
   * @param upTo the last key of the range; undefined: there is no end
   * @param form of the sums; by default today's
   */
  async sums(
    kind: Kind,
    after: string | undefined,
    upTo: string | undefined,
    form?: SumForm,
  ): Promise<Map<string, string>> {
    // The order costs more than the sums. The caller has its own.
    const [[list]] = await this.query(
      `SELECT GROUP_CONCAT(${this.sql.sum(kind, form)}, ${this.sql.key(kind)} SEPARATOR '\\n') ${this.sql.range(kind, after, upTo)}`,
    );
    const rows = list ? String(list).split('\n') : [];
    return new Map(rows.map((row) => [row.slice(SUM_CHARACTERS), row.slice(0, SUM_CHARACTERS)]));
  }

  /** The sum of the sums of a range, which costs less than {@link sums}. */
  async total(kind: Kind, after: string | undefined, upTo: string | undefined): Promise<LegacyTotal> {
    const [[count, total]] = await this.query(
      `SELECT COUNT(*), SUM(${this.sql.checksum(kind)}) ${this.sql.range(kind, after, upTo)}`,
    );
    return { count: Number(count), total: Number(total ?? 0) };
  }

  /** Runs one statement. Every row is a list of values. */
  async query(sql: string): Promise<[unknown[], ...unknown[][]]> {
    return (await queryLegacy(this.connection, sql, this.clock)) as [unknown[], ...unknown[][]];
  }

  close(): Promise<void> {
    return closeLegacy(this.connection);
  }

  async #rows(kind: Kind, condition: string): Promise<LegacyRow[]> {
    const names = this.sql.names[kind];
    const columns = names.map((name) => this.sql.column(kind, name));
    const account = kind === 'accounts' ? 'TRUE' : `${this.sql.key('accounts')} IS NOT NULL`;
    const role = kind === 'accounts' ? 'NULL' : this.sql.column('accounts', 'role');
    const list = [this.sql.key(kind), this.sql.sum(kind), account, role, ...columns].join(', ');
    const rows = await this.query(
      `SELECT ${list} FROM ${this.sql.from(kind)}${this.sql.join(kind)} WHERE ${this.sql.isOfAccounts(kind)} AND ${condition}`,
    );
    return rows.map((row) => ({
      key: this.#keyOf(kind, row[0]),
      sum: String(row[1]),
      hasAccount: Number(row[2]) === 1,
      accountRole: asText(row[3]),
      values: valuesOf(names, row),
    }));
  }

  /** @throws Refusal for a key that is no text: the next page would begin at another place */
  #keyOf(kind: Kind, value: unknown): string {
    const key = asText(value) ?? '';
    if (!key.isWellFormed()) {
      const { table, key: column } = this.tables[kind];
      throw new LegacyError(
        `The keys in ${column} of ${table} are no texts or numbers. Such rows cannot be moved.`,
      );
    }
    return key;
  }
}

/**
 * The values of the mapping that the table has no column for.
 * @throws Refusal if a column is missing that every legacy service has
 */
export async function absentColumns(query: Query, table: LegacyTable): Promise<string[]> {
  const existing = new Set((await columnsOf(query, table.table)).map((name) => name.toLowerCase()));
  const has = (column: string) => existing.has(column.toLowerCase());
  const absent = Object.keys(table.columns).filter((name) => !has(table.columns[name] ?? name));
  const needed = [
    ...absent.filter((name) => !OPTIONAL_COLUMNS.has(name)),
    ...(has(table.key) ? [] : [table.key]),
  ];
  if (needed.length > 0) {
    throw new LegacyError(`The table ${table.table} has no column ${needed.join(', ')}. Name it with --map.`);
  }
  return absent;
}

/** Runs one statement. Every row is a list of values. */
type Query = (sql: string) => Promise<unknown[][]>;

/**
 * The columns of a table.
 * @throws Refusal if there is no such table
 */
export async function columnsOf(query: Query, table: string): Promise<string[]> {
  const rows = await query(`SHOW COLUMNS FROM ${mysql.escapeId(table, true)}`).catch((error: Error) => {
    if ((error.cause as { code?: string }).code === 'ER_NO_SUCH_TABLE') {
      throw new LegacyError(`The legacy database has no table ${table}. Name it with --map.`);
    }
    throw error;
  });
  return rows.map(([name]) => String(name));
}

/** Marks a text that is not what the database has. Only binary columns have bytes that are not UTF-8. */
const HALF_SURROGATE = '\ud800';

function asText(value: unknown): string | null {
  if (value === null || value === undefined) {
    return null;
  }
  return Buffer.isBuffer(value) && !isUtf8(value) ? String(value) + HALF_SURROGATE : String(value);
}

/** The values of a row by their names. They follow its key, its sum, whether its account exists, and its role. */
function valuesOf(names: readonly string[], row: readonly unknown[]): LegacyRow['values'] {
  const values: Record<string, string | null> = {};
  // Objects made in this way share one shape. Those of Object.fromEntries take three times the time and memory.
  for (const [index, name] of names.entries()) {
    values[name] = asText(row[index + 4]);
  }
  return values;
}
