import { columnsOf } from '../source/legacy-columns.ts';
import type { LegacyDatabase } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** The columns of a table that the mapping does not name: an import drops their values. */
export async function droppedColumns(source: LegacyDatabase, kind: Kind): Promise<string[]> {
  const { table, key, columns } = source.tables[kind];
  const known = new Set([key, ...Object.values(columns)].map((name) => name.toLowerCase()));
  const all = await columnsOf((text) => source.query(text), table);
  return all.filter((name) => !known.has(name.toLowerCase()));
}

/** The ids of doctors without a profile. Such accounts exist, because the legacy registration is no transaction. */
export async function doctorsWithoutProfile(source: LegacyDatabase): Promise<string[]> {
  const { sql } = source;
  const rows = await source.query(
    `SELECT ${sql.key('accounts')} FROM ${sql.from('accounts')}` +
      ` LEFT JOIN ${sql.from('profiles')} ON ${sql.key('profiles')} = ${sql.key('accounts')}` +
      ` WHERE ${sql.column('accounts', 'role')} = 'doctor' AND ${sql.key('profiles')} IS NULL ORDER BY 1`,
  );
  return rows.map(([key]) => String(key));
}

/** The classes in `tokenable_type` whose tokens are not those of accounts, and how many tokens each has. */
export async function otherTokenTypes(source: LegacyDatabase): Promise<Map<string, number>> {
  const { sql } = source;
  const type = sql.column('tokens', 'tokenable_type');
  const rows = await source.query(
    `SELECT ${type}, COUNT(*) FROM ${sql.from('tokens')} WHERE NOT ${sql.isOurs('tokens')} GROUP BY 1 ORDER BY 1`,
  );
  return new Map(rows.map(([name, count]) => [String(name), Number(count)]));
}
