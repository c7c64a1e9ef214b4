import mysql from 'mysql2/promise';
import { ADDED_COLUMNS, type Kind, type LegacyTables } from './legacy-tables.ts';

/**
 * CRC-32: a change is overlooked once in 4,000,000,000 times. `verify` compares the values themselves. A longer sum
 * (MD5) takes the database twice the time.
 */
export const SUM_CHARACTERS = 8;

/** How a sum is made: what it has, besides the columns that every release has moved. */
export interface SumForm {
  /** Without it, a row that moved to another key inside a batch looked like one that had not changed. */
  withKey: boolean;
  /** Those of {@link ADDED_COLUMNS} that it has. */
  added: readonly string[];
}

const todaysForm = (kind: Kind): SumForm => ({ withKey: true, added: ADDED_COLUMNS[kind] });

/** False for a sum of an earlier release, which cannot be compared with one of this release. */
export const isTodaysForm = (kind: Kind, { withKey, added }: SumForm): boolean =>
  withKey && added.length === ADDED_COLUMNS[kind].length;

/** The parts of statements. Names come from the mapping and values from the tables, so all are quoted. */
export class LegacySql {
  /** @param names the values of each kind that its table has */
  constructor(
    private readonly tables: LegacyTables,
    readonly names: Readonly<Record<Kind, readonly string[]>>,
  ) {}

  /** {@link SUM_CHARACTERS} hexadecimal digits over the key and all values of a row. */
  sum(kind: Kind, form: SumForm = todaysForm(kind)): string {
    return `LPAD(HEX(${this.checksum(kind, form)}), ${SUM_CHARACTERS}, '0')`;
  }

  /** CRC-32 over the bytes of the key and all values. The characters between them and in place of null are in no value. */
  checksum(kind: Kind, { withKey, added }: SumForm = todaysForm(kind)): string {
    const isIn = (name: string) => added.includes(name) || !ADDED_COLUMNS[kind].includes(name);
    const columns = this.names[kind].filter(isIn).map((name) => this.column(kind, name));
    const all = withKey ? [this.key(kind), ...columns] : columns;
    const parts = all.map((column) => `IFNULL(CAST(${column} AS BINARY), X'1A')`);
    return `CRC32(CONCAT_WS(X'00', ${parts.join(', ')}))`;
  }

  /**
   * The tables and the condition of a range of rows.
   * @param after the range begins behind this key; undefined: at the first row
   * @param upTo the last key of the range; undefined: there is no end
   */
  range(kind: Kind, after: string | undefined, upTo: string | undefined): string {
    return `FROM ${this.from(kind)} WHERE ${this.isBetween(kind, after, upTo)} AND ${this.isOfAccounts(kind)}`;
  }

  /** The condition for a range of rows, with the same parameters as {@link range}. */
  isBetween(kind: Kind, after: string | undefined, upTo: string | undefined): string {
    const key = this.key(kind);
    const isAfter = after === undefined ? 'TRUE' : `${key} > ${mysql.escape(after)}`;
    const isUpTo = upTo === undefined ? 'TRUE' : `${key} <= ${mysql.escape(upTo)}`;
    return `${isAfter} AND ${isUpTo}`;
  }

  /** The condition for the rows of accounts: the table of tokens may have those of other things. */
  isOfAccounts(kind: Kind): string {
    const types = mysql.escape([...this.tables.tokenTypes]);
    return kind === 'tokens' ? `${this.column(kind, 'tokenable_type')} IN (${types})` : 'TRUE';
  }

  /** Adds the account of each row, which may not exist. */
  join(kind: Kind): string {
    if (kind === 'accounts') {
      return '';
    }
    const owner = kind === 'profiles' ? this.key(kind) : this.column(kind, 'tokenable_id');
    return ` LEFT JOIN ${this.from('accounts')} ON ${this.key('accounts')} = ${owner}`;
  }

  from(kind: Kind): string {
    return `${mysql.escapeId(this.tables[kind].table, true)} AS ${kind}_`;
  }

  key(kind: Kind): string {
    return `${kind}_.${mysql.escapeId(this.tables[kind].key, true)}`;
  }

  column(kind: Kind, name: string): string {
    return `${kind}_.${mysql.escapeId(this.tables[kind].columns[name] ?? name, true)}`;
  }
}
