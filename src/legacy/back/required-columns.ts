import mysql from 'mysql2/promise';
import type { ColumnValues } from '../records/legacy-record.ts';
import type { LegacyDatabase } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** What a table requires of a row: columns that take no null and have no default of their own. */
export interface RequiredColumns {
  /** The values of the mapping that are required, and whether their columns take a text. */
  values: ReadonlyMap<string, { isText: boolean }>;
  /** Columns that the mapping does not have, so that the gateway has no value for them. The key may be one. */
  others: readonly string[];
}

const TEXT = /^(?:var)?char|^(?:tiny|medium|long)?text/i;
const IS_MADE_BY_DATABASE = /auto_increment|generated/i;

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
