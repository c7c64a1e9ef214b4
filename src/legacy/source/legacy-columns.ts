import mysql from 'mysql2/promise';
import { Refusal } from '../refusal.ts';
import { type LegacyTable, OPTIONAL_COLUMNS } from './legacy-tables.ts';

/** Runs one statement. Every row is a list of values. */
type Query = (sql: string) => Promise<unknown[][]>;

/**
 * The columns of a table.
 * @throws Refusal if there is no such table
 */
export async function columnsOf(query: Query, table: string): Promise<string[]> {
  const rows = await query(`SHOW COLUMNS FROM ${mysql.escapeId(table, true)}`).catch((error: Error) => {
    if ((error.cause as { code?: string }).code === 'ER_NO_SUCH_TABLE') {
      throw new Refusal(`The legacy database has no table ${table}. Name it with --map.`);
    }
    throw error;
  });
  return rows.map(([name]) => String(name));
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
    throw new Refusal(`The table ${table.table} has no column ${needed.join(', ')}. Name it with --map.`);
  }
  return absent;
}
