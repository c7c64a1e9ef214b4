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

/**
 * What becomes of statements.
 * - `write`: they are executed in small transactions.
 * - `rehearse`: they are executed in one transaction, which is rolled back.
 * - `count`: none is executed. Only what follows from the columns is known.
 */
type WriteMode = 'write' | 'rehearse' | 'count';

/** Writes to the legacy service's database, in transactions. */
export class LegacyWriter {
  #counted = 0;

  constructor(
    private readonly source: LegacyDatabase,
    private readonly mode: WriteMode,
    private readonly required: Readonly<Record<Kind, RequiredColumns>>,
  ) {}

  /** Begins the one transaction of a rehearsal. */
  async begin(): Promise<void> {
    if (this.mode === 'rehearse') {
      // After an error that ends the transaction, the next statement begins another one: none is ever committed by itself.
      await this.source.query('SET autocommit = 0');
    }
  }

  /** Takes a rehearsal back. If the connection is lost, the server does. */
  async end(): Promise<void> {
    if (this.mode === 'rehearse') {
      await this.source.connection.rollback().catch(() => this.source.connection.destroy());
    }
  }

  /** Runs statements in one transaction. Those of a rehearsal are all in one: to begin another would commit it. */
  async transaction<T>(act: () => Promise<T>): Promise<T> {
    if (this.mode !== 'write') {
      return act();
    }
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
   * Runs statements of a transaction, and takes them back if they do not belong into it.
   * @param act returns false if they are to be taken back
   */
  async attempt(act: () => Promise<boolean>): Promise<void> {
    if (this.mode === 'count') {
      await act();
      return;
    }
    await this.source.query('SAVEPOINT attempt');
    if (!(await act())) {
      await this.source.query('ROLLBACK TO SAVEPOINT attempt');
    }
  }

  /**
   * Inserts a row.
   * @param key the value of the key column; undefined: the database makes one
   */
  async insert(kind: Kind, key: string | undefined, values: ColumnValues): Promise<Written> {
    const { table, key: keyColumn } = this.source.tables[kind];
    if (this.mode === 'count') {
      const other = this.required[kind].others.find((name) => name !== keyColumn || key === undefined);
      const reason = this.#refusalOf(kind, values) ?? (other === undefined ? undefined : withoutValue(other));
      this.#counted += 1;
      return reason === undefined ? { id: key ?? `new ${this.#counted}` } : { reason };
    }
    const columns = { ...this.#columnsOf(kind, values), ...(key !== undefined && { [keyColumn]: key }) };
    return this.#write(`INSERT INTO ${mysql.escapeId(table, true)} SET ?`, columns, key);
  }

  /** Changes a row. */
  async update(kind: Kind, key: string, values: ColumnValues): Promise<Written> {
    if (this.mode === 'count') {
      const reason = this.#refusalOf(kind, values);
      return reason === undefined ? { id: key } : { reason };
    }
    const { table, key: keyColumn } = this.source.tables[kind];
    const where = `WHERE ${mysql.escapeId(keyColumn, true)} = ${mysql.escape(key)}`;
    const columns = this.#columnsOf(kind, values);
    return this.#write(`UPDATE ${mysql.escapeId(table, true)} SET ? ${where}`, columns, key);
  }

  /**
   * Deletes a row. It is no error if it does not exist. Other tables may refer to it, so that the database refuses.
   */
  async remove(kind: Kind, key: string): Promise<Written> {
    const { table, key: keyColumn } = this.source.tables[kind];
    const where = `WHERE ${mysql.escapeId(keyColumn, true)} = ${mysql.escape(key)}`;
    return this.mode === 'count'
      ? { id: key }
      : this.#write(`DELETE FROM ${mysql.escapeId(table, true)} ${where}`, {}, key);
  }

  /** Deletes tokens. It is no error if one does not exist. */
  async removeTokens(keys: readonly string[]): Promise<void> {
    const { table, key } = this.source.tables.tokens;
    if (this.mode !== 'count' && keys.length > 0) {
      await this.source.query(
        `DELETE FROM ${mysql.escapeId(table, true)} WHERE ${mysql.escapeId(key, true)} IN (${mysql.escape([...keys])})`,
      );
    }
  }

  /** Deletes an account with its tokens and profile. Not every legacy database deletes a profile with its account. */
  async removeAccount(key: string): Promise<Written> {
    if (this.mode !== 'count') {
      await this.#removeTokensOf(key);
    }
    await this.remove('profiles', key);
    return this.remove('accounts', key);
  }

  async #removeTokensOf(accountKey: string): Promise<void> {
    const { table, columns } = this.source.tables.tokens;
    const [owner = '', type = ''] = [columns.tokenable_id, columns.tokenable_type];
    await this.source.query(
      `DELETE FROM ${mysql.escapeId(table, true)} WHERE ${mysql.escapeId(owner, true)} = ${mysql.escape(accountKey)}` +
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
    const { tables } = this.source;
    const present = this.#presentIn(kind, values);
    return Object.fromEntries(present.map(([name, value]) => [tables[kind].columns[name] ?? name, value]));
  }

  #presentIn(kind: Kind, values: ColumnValues): [string, string | null][] {
    return Object.entries(values).filter(([name]) => !this.source.absent[kind].includes(name));
  }

  /** What the database will say about nulls, in its words. */
  #refusalOf(kind: Kind, values: ColumnValues): string | undefined {
    const present = this.#presentIn(kind, values);
    const [name] =
      present.find(([one, value]) => value === null && this.required[kind].values.has(one)) ?? [];
    const { columns } = this.source.tables[kind];
    return name === undefined ? undefined : notTaken(columns[name] ?? name, 'ER_BAD_NULL_ERROR');
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

/** A connection to the database that has ended has errors without this. */
interface ServerError {
  code?: string;
  sqlMessage?: string;
  fatal?: boolean;
}

/** These end the whole transaction, so the row is not to blame. */
const TRANSACTION_ERRORS: ReadonlySet<string> = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_LOCK_TABLE_FULL',
]);

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
    return notTaken(name ?? 'a column', code);
  }
  if (code === 'ER_NO_DEFAULT_FOR_FIELD') {
    return withoutValue(/^Field '([\w.]+)'/.exec(sqlMessage)?.[1] ?? 'a column');
  }
  if (/^ER_ROW_IS_REFERENCED/.test(code)) {
    return 'other tables of the legacy database refer to it';
  }
  return `the legacy database refuses it (${code})`;
}

const notTaken = (column: string, code: string): string =>
  `the legacy database does not take its value of ${column} (${code})`;

const withoutValue = (column: string): string =>
  `the legacy database requires a value of ${column}, which the gateway does not have`;

/** What a table requires of a row: columns that take no null and have no default of their own. */
export interface RequiredColumns {
  /** The values of the mapping that are required, and whether their columns take a text. */
  values: ReadonlyMap<string, { isText: boolean }>;
  /** Columns that the mapping does not have, so that the gateway has no value for them. The key may be one. */
  others: readonly string[];
}

/** The columns of a table that a new row must have. */
export async function requiredColumns(
  source: Pick<LegacyDatabase, 'query' | 'tables' | 'absent'>,
  kind: Kind,
): Promise<RequiredColumns> {
  const { table, columns } = source.tables[kind];
  const rows = await source.query(`SHOW COLUMNS FROM ${mysql.escapeId(table, true)}`);
  const required = rows
    .map(([name, type, mayBeNull, , standard, extra]) => ({
      name: String(name),
      isText: TEXT.test(String(type)),
      isRequired: mayBeNull === 'NO' && standard === null && !IS_MADE_BY_DATABASE.test(String(extra)),
    }))
    .filter(({ isRequired }) => isRequired);
  const named = Object.keys(columns).filter((name) => !source.absent[kind].includes(name));
  const isColumn = (name: string, column: string) =>
    (columns[name] ?? name).toLowerCase() === column.toLowerCase();
  const values = new Map<string, { isText: boolean }>();
  const others: string[] = [];
  for (const { name: column, isText } of required) {
    const name = named.find((one) => isColumn(one, column));
    if (name === undefined) {
      others.push(column);
    } else {
      values.set(name, { isText });
    }
  }
  return { values, others };
}

const TEXT = /^(?:var)?char|^(?:tiny|medium|long)?text/i;
const IS_MADE_BY_DATABASE = /auto_increment|generated/i;

/**
 * Gives a doctor's profile an empty text for each one that its table requires and the doctor has not given. A `sync` reads it as
 * none.
 * @returns all values, and the names of those that are empty for this reason
 */
export function withEmptyTexts(
  values: ColumnValues,
  required: RequiredColumns,
): { values: ColumnValues; emptied: string[] } {
  const emptied = Object.keys(values).filter(
    (name) => values[name] === null && required.values.get(name)?.isText,
  );
  return { values: { ...values, ...Object.fromEntries(emptied.map((name) => [name, ''])) }, emptied };
}
