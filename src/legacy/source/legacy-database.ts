import mysql from 'mysql2/promise';
import { messageOf } from '../../system/system-errors.ts';
import { Refusal } from '../refusal.ts';
import { type Kind, type LegacyTable, type LegacyTables, OPTIONAL_COLUMNS } from './legacy-tables.ts';

/** One row of the legacy database. All values are texts, as the database writes them. */
export interface LegacyRow {
  /** The primary key; of a profile, the id of its account. */
  key: string;
  /** {@link SUM_CHARACTERS} hexadecimal digits over all values. It changes when one of them does. */
  sum: string;
  /** The values by the names of {@link LegacyTable.columns}. */
  values: Readonly<Record<string, string | null>>;
  /** False for a profile or token whose account does not exist. */
  hasAccount: boolean;
}

/** What a range of rows has in common with what is remembered of it, as long as none of its rows changes. */
export interface LegacyTotal {
  count: number;
  /** All sums of the range, read as hexadecimal numbers and added up. */
  total: number;
}

/**
 * CRC-32: a change is overlooked once in 4,000,000,000 times. `verify` compares the values themselves. A longer sum
 * (MD5) takes the database twice the time.
 */
export const SUM_CHARACTERS = 8;

const CONNECT_MILLIS = 10_000;
/** No query reads more than a batch, but the server may be busy with its callers. */
const QUERY_MILLIS = 120_000;
/** The server may need a moment to notice that a killed command has gone. */
const LOCK_SECONDS = 5;
/** The connection waits while files are copied. Some servers close connections after a minute. */
const MAX_IDLE_SECONDS = 86_400;
/** Room for the keys of a batch in one text; MySQL's default is 1,024 bytes. */
const MAX_CONCAT_BYTES = 16_777_216;

/** Reads the legacy service's database, MySQL or MariaDB. It writes nothing: only `back` does, with a writer of its own. */
export class LegacyDatabase {
  readonly #lists: Record<Kind, string[]>;

  private constructor(
    readonly connection: mysql.Connection,
    readonly tables: LegacyTables,
    /** The columns of each kind that the tables do not have. */
    readonly absent: Readonly<Record<Kind, readonly string[]>>,
  ) {
    const names = (kind: Kind) =>
      Object.keys(tables[kind].columns).filter((name) => !absent[kind].includes(name));
    this.#lists = { accounts: names('accounts'), profiles: names('profiles'), tokens: names('tokens') };
  }

  /**
   * Connects, and checks that all tables and columns are there.
   * @param uri `mysql://user:password@host:port/database`
   * @throws Refusal that names what is missing; Error without the password
   */
  static async open(uri: string, tables: LegacyTables): Promise<LegacyDatabase> {
    const connecting = mysql.createConnection({
      uri,
      charset: 'utf8mb4',
      connectTimeout: CONNECT_MILLIS,
      // Texts as the session shows them: the application's time zone is an option of the commands.
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      rowsAsArray: true,
    });
    const connection = await connecting.catch(asUnreadable);
    // The promise of the running query reports a lost connection, too.
    connection.on('error', () => {});
    try {
      await connection.query('SET SESSION group_concat_max_len = ?, wait_timeout = ?', [
        MAX_CONCAT_BYTES,
        MAX_IDLE_SECONDS,
      ]);
      const absent = {
        accounts: await absentColumns(connection, tables.accounts),
        profiles: await absentColumns(connection, tables.profiles),
        tokens: await absentColumns(connection, tables.tokens),
      };
      return new LegacyDatabase(connection, tables, absent);
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** The columns of a table that the mapping does not name: an import drops their values. */
  async droppedColumns(kind: Kind): Promise<string[]> {
    const { table, key, columns } = this.tables[kind];
    const known = new Set([key, ...Object.values(columns)].map((name) => name.toLowerCase()));
    const all = await columnsOf(this.connection, table);
    return all.filter((name) => !known.has(name.toLowerCase()));
  }

  /** The number of rows that an import reads. */
  async count(kind: Kind): Promise<number> {
    const [[row]] = await this.query(`SELECT COUNT(*) FROM ${this.#from(kind)} WHERE ${this.#isOurs(kind)}`);
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
    const column = this.#column(kind, name);
    const value = characters === undefined ? column : `LEFT(${column}, ${characters})`;
    const rows = await this.query(
      `SELECT ${value}, COUNT(*) FROM ${this.#from(kind)} WHERE ${this.#isOurs(kind)} GROUP BY 1 ORDER BY 2 DESC`,
    );
    return new Map(rows.map(([text, count]) => [asText(text), Number(count)]));
  }

  /** The number of rows with a value in a column. */
  async countGiven(kind: Kind, name: string): Promise<number> {
    if (this.absent[kind].includes(name)) {
      return 0;
    }
    const column = this.#column(kind, name);
    const [[count]] = await this.query(
      `SELECT COUNT(${column}) FROM ${this.#from(kind)} WHERE ${this.#isOurs(kind)}`,
    );
    return Number(count);
  }

  /** The largest key; undefined if there are no rows. */
  async lastKey(kind: Kind): Promise<string | undefined> {
    const [row] = await this.query(
      `SELECT ${this.#key(kind)} FROM ${this.#from(kind)} WHERE ${this.#isOurs(kind)} ORDER BY 1 DESC LIMIT 1`,
    );
    return row === undefined ? undefined : String(row[0]);
  }

  /** The ids of doctors without a profile. Such accounts exist, because the legacy registration is no transaction. */
  async doctorsWithoutProfile(): Promise<string[]> {
    const rows = await this.query(
      `SELECT ${this.#key('accounts')} FROM ${this.#from('accounts')}` +
        ` LEFT JOIN ${this.#from('profiles')} ON ${this.#key('profiles')} = ${this.#accountKey()}` +
        ` WHERE ${this.#column('accounts', 'role')} = 'doctor' AND ${this.#key('profiles')} IS NULL ORDER BY 1`,
    );
    return rows.map(([key]) => String(key));
  }

  /** The classes in `tokenable_type` whose tokens are not those of accounts, and how many tokens each has. */
  async otherTokenTypes(): Promise<Map<string, number>> {
    const type = this.#column('tokens', 'tokenable_type');
    const rows = await this.query(
      `SELECT ${type}, COUNT(*) FROM ${this.#from('tokens')} WHERE NOT ${this.#isOurs('tokens')} GROUP BY 1 ORDER BY 1`,
    );
    return new Map(rows.map(([name, count]) => [String(name), Number(count)]));
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
    const isAfter = after === undefined ? 'TRUE' : `${this.#key(kind)} > ${mysql.escape(after)}`;
    return this.#rows(kind, `${isAfter} ORDER BY ${this.#key(kind)} LIMIT ${limit}`);
  }

  /** Reads the rows with these keys, in the order of the keys. */
  async rows(kind: Kind, keys: readonly string[]): Promise<LegacyRow[]> {
    if (keys.length === 0) {
      return [];
    }
    const list = mysql.escape([...keys]);
    return this.#rows(kind, `${this.#key(kind)} IN (${list}) ORDER BY ${this.#key(kind)}`);
  }

  /**
   * The keys and sums of a range, which costs far less than its rows.
   * @param after the range begins behind this key; undefined: at the first row
   * @param upTo the last key of the range; undefined: there is no end
   */
  async sums(kind: Kind, after: string | undefined, upTo: string | undefined): Promise<Map<string, string>> {
    // The order costs more than the sums. The caller has its own.
    const [[list]] = await this.query(
      `SELECT GROUP_CONCAT(${this.#sum(kind)}, ${this.#key(kind)} SEPARATOR '\\n') ${this.#range(kind, after, upTo)}`,
    );
    const rows = list ? String(list).split('\n') : [];
    return new Map(rows.map((row) => [row.slice(SUM_CHARACTERS), row.slice(0, SUM_CHARACTERS)]));
  }

  /** The sum of the sums of a range, which costs less than {@link sums}. */
  async total(kind: Kind, after: string | undefined, upTo: string | undefined): Promise<LegacyTotal> {
    const [[count, total]] = await this.query(
      `SELECT COUNT(*), SUM(${this.#checksum(kind)}) ${this.#range(kind, after, upTo)}`,
    );
    return { count: Number(count), total: Number(total ?? 0) };
  }

  /** Runs one statement. Every row is a list of values. */
  async query(sql: string): Promise<[unknown[], ...unknown[][]]> {
    const running = this.connection.query({ sql, timeout: QUERY_MILLIS, rowsAsArray: true });
    const [rows] = await running.catch(asUnreadable);
    return rows as unknown as [unknown[], ...unknown[][]];
  }

  async close(): Promise<void> {
    await this.connection.end().catch(() => this.connection.destroy());
  }

  async #rows(kind: Kind, condition: string): Promise<LegacyRow[]> {
    const names = this.#lists[kind];
    const columns = names.map((name) => this.#column(kind, name));
    const account = kind === 'accounts' ? 'TRUE' : `${this.#accountKey()} IS NOT NULL`;
    const list = [this.#key(kind), this.#sum(kind), account, ...columns].join(', ');
    const rows = await this.query(
      `SELECT ${list} FROM ${this.#from(kind)}${this.#join(kind)} WHERE ${this.#isOurs(kind)} AND ${condition}`,
    );
    return rows.map(([key, sum, hasAccount, ...values]) => ({
      key: String(key),
      sum: String(sum),
      hasAccount: Number(hasAccount) === 1,
      values: Object.fromEntries(names.map((name, index) => [name, asText(values[index])])),
    }));
  }

  #sum(kind: Kind): string {
    return `LPAD(HEX(${this.#checksum(kind)}), ${SUM_CHARACTERS}, '0')`;
  }

  /** CRC-32 over the bytes of all values. The characters between them and in place of null are in no value. */
  #checksum(kind: Kind): string {
    const parts = this.#lists[kind].map(
      (name) => `IFNULL(CAST(${this.#column(kind, name)} AS BINARY), X'1A')`,
    );
    return `CRC32(CONCAT_WS(X'00', ${parts.join(', ')}))`;
  }

  #range(kind: Kind, after: string | undefined, upTo: string | undefined): string {
    const key = this.#key(kind);
    const isAfter = after === undefined ? 'TRUE' : `${key} > ${mysql.escape(after)}`;
    const isUpTo = upTo === undefined ? 'TRUE' : `${key} <= ${mysql.escape(upTo)}`;
    return `FROM ${this.#from(kind)} WHERE ${isAfter} AND ${isUpTo} AND ${this.#isOurs(kind)}`;
  }

  /** The table may have the tokens of other things than accounts. */
  #isOurs(kind: Kind): string {
    const types = mysql.escape([...this.tables.tokenTypes]);
    return kind === 'tokens' ? `${this.#column(kind, 'tokenable_type')} IN (${types})` : 'TRUE';
  }

  #join(kind: Kind): string {
    if (kind === 'accounts') {
      return '';
    }
    const owner = kind === 'profiles' ? this.#key(kind) : this.#column(kind, 'tokenable_id');
    return ` LEFT JOIN ${this.#from('accounts')} ON ${this.#accountKey()} = ${owner}`;
  }

  #from(kind: Kind): string {
    return `${mysql.escapeId(this.tables[kind].table, true)} AS ${kind}_`;
  }

  #key(kind: Kind): string {
    return `${kind}_.${mysql.escapeId(this.tables[kind].key, true)}`;
  }

  #accountKey(): string {
    return this.#key('accounts');
  }

  #column(kind: Kind, name: string): string {
    return `${kind}_.${mysql.escapeId(this.tables[kind].columns[name] ?? name, true)}`;
  }
}

function asUnreadable(cause: unknown): never {
  throw new Error(`The legacy database refuses, or does not answer: ${messageOf(cause)}`, { cause });
}

const asText = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);

async function columnsOf(connection: mysql.Connection, table: string): Promise<string[]> {
  const sql = `SHOW COLUMNS FROM ${mysql.escapeId(table, true)}`;
  const [rows] = await connection.query({ sql, rowsAsArray: true }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ER_NO_SUCH_TABLE') {
      throw new Refusal(`The legacy database has no table ${table}. Name it with --map.`);
    }
    return asUnreadable(error);
  });
  return (rows as unknown as unknown[][]).map(([name]) => String(name));
}

/** @throws Refusal if a column is missing that every legacy service has */
async function absentColumns(connection: mysql.Connection, table: LegacyTable): Promise<string[]> {
  const existing = new Set((await columnsOf(connection, table.table)).map((name) => name.toLowerCase()));
  const has = (column: string) => existing.has(column.toLowerCase());
  const absent = Object.keys(table.columns).filter((name) => !has(table.columns[name] ?? name));
  const needed = [
    ...absent.filter((name) => !OPTIONAL_COLUMNS.has(name)),
    ...(has(table.key) ? [] : [table.key]),
  ];
  if (needed.length > 0) {
    throw new Refusal(`The table ${table.table} has no column ${needed.join(', ')}. Name it with --map.`);
  }
  return absent;
}
