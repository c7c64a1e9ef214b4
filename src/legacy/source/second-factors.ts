import { columnsOf, type LegacyDatabase } from './legacy-database.ts';

/** Where Laravel's Fortify notes that the owner of an account has confirmed an authenticator app. */
const CONFIRMED_AT = 'two_factor_confirmed_at';

/**
 * Counts the accounts with a second factor in the legacy service. The column is no part of the mapping, because its value is not
 * taken: the login of the contract never asked for a code, so a factor from there would lock out callers that send none.
 * @returns 0 if the table has no such column
 */
export async function countSecondFactors(source: LegacyDatabase): Promise<number> {
  const { sql, tables } = source;
  const columns = await columnsOf((text) => source.query(text), tables.accounts.table);
  if (!columns.some((name) => name.toLowerCase() === CONFIRMED_AT)) {
    return 0;
  }
  const condition = `${sql.column('accounts', CONFIRMED_AT)} IS NOT NULL`;
  const [[count]] = await source.query(`SELECT COUNT(*) FROM ${sql.from('accounts')} WHERE ${condition}`);
  return Number(count);
}

/** What the operator should know about them. @returns no lines if there are none */
export const secondFactorLines = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${count} ${count === 1 ? 'account' : 'accounts'} had a second factor in the legacy service. ` +
          'It is not carried over: the login there never asked for a code.',
      ];
