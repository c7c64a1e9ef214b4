import mysql from 'mysql2/promise';
import { messageOf } from '../../system/system-errors.ts';
import type { ColumnValues } from '../records/legacy-record.ts';
import type { LegacyDatabase } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** What has become of a statement: the id of the row, or why the database has refused it. */
export type Written =
  /** `isOld`: the row was there before. */
  | { id: string; isOld?: boolean; reason?: undefined; isDuplicate?: undefined }
  /** `isDuplicate`: another row has a unique value of it. */
  | { id?: undefined; isOld?: undefined; reason: string; isDuplicate?: boolean };

/** A connection to the database that has ended has errors without this. */
interface ServerError {
  code?: string;
  sqlMessage?: string;
  fatal?: boolean;
}

/** These end the whole transaction, so the row is not to blame. */
const TRANSACTION_ERRORS: ReadonlySet<string> = new Set(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT']);

/** Writes to the legacy service's database, in transactions. */
export class LegacyWriter {
  constructor(private readonly source: LegacyDatabase) {}

  /** Runs statements in one transaction. */
  async transaction<T>(act: () => Promise<T>): Promise<T> {
    const { connection } = this.source;
    await connection.beginTransaction();
    try {
      const result = await act();
      await connection.commit();
      return result;
    } catch (error) {
      await connection.rollback().catch(() => {});
      throw error;
    }
  }

  /**
   * Inserts a row.
   * @param key the value of the key column; undefined: the database makes one
   */
  async insert(kind: Kind, key: string | undefined, values: ColumnValues): Promise<Written> {
    const { table, key: keyColumn } = this.source.tables[kind];
    const columns = { ...this.#columnsOf(kind, values), ...(key !== undefined && { [keyColumn]: key }) };
    return this.#write(`INSERT INTO ${mysql.escapeId(table, true)} SET ?`, columns, key);
  }

  /** Changes a row. */
  async update(kind: Kind, key: string, values: ColumnValues): Promise<Written> {
    const { table, key: keyColumn } = this.source.tables[kind];
    const where = `WHERE ${mysql.escapeId(keyColumn, true)} = ${mysql.escape(key)}`;
    const columns = this.#columnsOf(kind, values);
    return this.#write(`UPDATE ${mysql.escapeId(table, true)} SET ? ${where}`, columns, key);
  }

  /** Deletes rows. It is no error if one does not exist. */
  async remove(kind: Kind, keys: readonly string[]): Promise<void> {
    const { table, key } = this.source.tables[kind];
    await this.source.query(
      `DELETE FROM ${mysql.escapeId(table, true)} WHERE ${mysql.escapeId(key, true)} IN (${mysql.escape([...keys])})`,
    );
  }

  /** Deletes accounts with their tokens and profiles. Not every legacy database deletes a profile with its account. */
  async removeAccounts(keys: readonly string[]): Promise<void> {
    await this.#removeTokensOf(keys);
    await this.remove('profiles', keys);
    await this.remove('accounts', keys);
  }

  /** Deletes the tokens of accounts. */
  async #removeTokensOf(accountKeys: readonly string[]): Promise<void> {
    const { table, columns } = this.source.tables.tokens;
    const [owner = '', type = ''] = [columns.tokenable_id, columns.tokenable_type];
    await this.source.query(
      `DELETE FROM ${mysql.escapeId(table, true)} WHERE ${mysql.escapeId(owner, true)} IN (${mysql.escape([...accountKeys])})` +
        ` AND ${mysql.escapeId(type, true)} IN (${mysql.escape([...this.source.tables.tokenTypes])})`,
    );
  }

  /** The key of the account with an e-mail; undefined if there is none. */
  async accountWithEmail(email: string): Promise<string | undefined> {
    const { table, key, columns } = this.source.tables.accounts;
    const column = mysql.escapeId(columns.email ?? 'email', true);
    const [row] = await this.source.query(
      `SELECT ${mysql.escapeId(key, true)} FROM ${mysql.escapeId(table, true)} WHERE ${column} = ${mysql.escape(email)} LIMIT 1`,
    );
    return row === undefined ? undefined : String(row[0]);
  }

  #columnsOf(kind: Kind, values: ColumnValues): Record<string, string | null> {
    const { absent, tables } = this.source;
    const present = Object.entries(values).filter(([name]) => !absent[kind].includes(name));
    return Object.fromEntries(present.map(([name, value]) => [tables[kind].columns[name] ?? name, value]));
  }

  async #write(sql: string, columns: object, key: string | undefined): Promise<Written> {
    try {
      const [result] = await this.source.connection.query(sql, [columns]);
      return { id: key ?? String((result as mysql.ResultSetHeader).insertId) };
    } catch (error) {
      const { code } = error as ServerError;
      return { reason: reasonOf(error as ServerError), isDuplicate: code === 'ER_DUP_ENTRY' };
    }
  }
}

/**
 * Why the database has refused a row, without its values.
 * @throws the error, if the row is not to blame
 */
function reasonOf(error: ServerError): string {
  const { code = '', sqlMessage, fatal = false } = error;
  if (fatal || sqlMessage === undefined || TRANSACTION_ERRORS.has(code)) {
    throw new Error(`The legacy database cannot be written: ${messageOf(error)}`, { cause: error });
  }
  // Of these texts, only the name of the key or column is repeated. It is the last quoted part, or the only one.
  const name = /'([\w.]+)'[^']*$/.exec(sqlMessage)?.[1];
  if (code === 'ER_DUP_ENTRY') {
    return `the legacy database has another row with its value of ${name ?? 'a unique key'}`;
  }
  if (['ER_BAD_NULL_ERROR', 'ER_DATA_TOO_LONG', 'WARN_DATA_TRUNCATED'].includes(code)) {
    return `the legacy database does not take its value of ${name ?? 'a column'} (${code})`;
  }
  return `the legacy database refuses it (${code})`;
}
