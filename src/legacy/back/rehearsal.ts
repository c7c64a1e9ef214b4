import mysql from 'mysql2/promise';
import type { LegacyDatabase } from '../source/legacy-database.ts';
import { KINDS } from '../source/legacy-tables.ts';

/** What a server answers if the user or the server itself may only read. */
const NO_RIGHT: ReadonlySet<string> = new Set([
  'ER_TABLEACCESS_DENIED_ERROR',
  'ER_COLUMNACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_SPECIFIC_ACCESS_DENIED_ERROR',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_READ_ONLY_MODE',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
]);

type Source = Pick<LegacyDatabase, 'query' | 'tables'>;

/**
 * Why a dry run must not execute statements, although it would roll them back: the database would not undo all of it, or the user
 * may not write. It is asked before the first statement that could write.
 * @returns undefined if all can be rolled back
 */
export const reasonAgainstRehearsal = async (source: Source): Promise<string | undefined> =>
  (await tableWithoutTransactions(source)) ?? (await missingRight(source)) ?? (await triggerOf(source));

const namesOf = ({ tables }: Source): string[] => KINDS.map((kind) => tables[kind].table);

/** MyISAM and Aria keep what a transaction has written when it is rolled back. A view does not say what is behind it. */
async function tableWithoutTransactions(source: Source): Promise<string | undefined> {
  const rows = await source.query(
    'SELECT t.TABLE_NAME, t.ENGINE, e.TRANSACTIONS FROM information_schema.TABLES t' +
      ' LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE' +
      ` WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME IN (${mysql.escape(namesOf(source))})`,
  );
  const tables = new Map(rows.map(([name, engine, has]) => [String(name).toLowerCase(), { engine, has }]));
  for (const name of namesOf(source)) {
    const { engine, has } = tables.get(name.toLowerCase()) ?? {};
    if (has !== 'YES') {
      return `the table ${name} has no transactions (${engine ?? 'a view'})`;
    }
  }
  return undefined;
}

/** It concerns a row, so the right to write was there. */
const IS_ABOUT_VALUES = 'ER_NO_DEFAULT_FOR_FIELD';

/** Statements that concern no row. They need the same rights as those that do. */
function emptyStatements({ tables }: Source): string[] {
  return KINDS.flatMap((kind) => {
    const [table, key] = [tables[kind].table, tables[kind].key].map((name) => mysql.escapeId(name, true));
    return [
      `INSERT INTO ${table} (${key}) SELECT ${key} FROM ${table} WHERE FALSE`,
      `UPDATE ${table} SET ${key} = ${key} WHERE FALSE`,
      `DELETE FROM ${table} WHERE FALSE`,
    ];
  });
}

async function missingRight(source: Source): Promise<string | undefined> {
  for (const statement of emptyStatements(source)) {
    try {
      await source.query(statement);
    } catch (error) {
      const { code = '' } = ((error as Error).cause ?? {}) as { code?: string };
      if (NO_RIGHT.has(code)) {
        return 'the user of the legacy database has no right to write';
      }
      if (code !== IS_ABOUT_VALUES) {
        throw error;
      }
    }
  }
  return undefined;
}

/**
 * A trigger may write to any table, also to one without transactions. MySQL shows triggers only to users with the right TRIGGER,
 * some versions of MariaDB to all that may write.
 */
async function triggerOf(source: Source): Promise<string | undefined> {
  const names = namesOf(source);
  const [found] = await source.query(
    'SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME FROM information_schema.TRIGGERS' +
      ` WHERE EVENT_OBJECT_SCHEMA = DATABASE() AND EVENT_OBJECT_TABLE IN (${mysql.escape(names)}) LIMIT 1`,
  );
  if (found) {
    return `the table ${found[0]} has the trigger ${found[1]}, and what that writes may stay`;
  }
  const hidden = await tableWithHiddenTriggers(source);
  return hidden === undefined
    ? undefined
    : `triggers of the table ${hidden} would be hidden from this user: GRANT TRIGGER ON ${hidden}`;
}

async function tableWithHiddenTriggers(source: Source): Promise<string | undefined> {
  const [user] = (await source.query('SELECT CURRENT_USER()'))[0];
  const [, name = '', host = ''] = /^(.*)@([^@]*)$/.exec(String(user)) ?? [];
  const isOfUser = `GRANTEE = ${mysql.escape(`'${name}'@'${host}'`)} AND PRIVILEGE_TYPE = 'TRIGGER'`;
  const rights = await source.query(
    `SELECT NULL FROM information_schema.USER_PRIVILEGES WHERE ${isOfUser}` +
      ` UNION SELECT NULL FROM information_schema.SCHEMA_PRIVILEGES WHERE ${isOfUser} AND DATABASE() LIKE TABLE_SCHEMA` +
      ` UNION SELECT TABLE_NAME FROM information_schema.TABLE_PRIVILEGES WHERE ${isOfUser} AND TABLE_SCHEMA = DATABASE()`,
  );
  const granted = new Set(rights.map(([table]) => (table === null ? null : String(table).toLowerCase())));
  return granted.has(null) ? undefined : namesOf(source).find((table) => !granted.has(table.toLowerCase()));
}
