import { DIGEST_CHARACTERS } from '../records/legacy-record.ts';

/** What is known of one row of the legacy database. */
export interface BookedRow {
  key: string;
  /** The sum of the row when it was last read; {@link GONE} if the legacy database did not have it any more. */
  sum: string;
  /** The digest of the record that was made of it; {@link NOT_TAKEN} or {@link WAITING} if none was. */
  digest: string;
}

/** The digest of a row that was not taken, and that is not tried again until it changes. */
export const NOT_TAKEN = '0'.repeat(DIGEST_CHARACTERS);

/** The digest of a row that was not taken because of something else: its account, or another account with its e-mail. */
export const WAITING = '1'.padStart(DIGEST_CHARACTERS, '0');

/**
 * The sum of a row that was taken and that the legacy database does not have any more. Its digest is kept: if the row returns, it
 * is known whether its record was changed here meanwhile, and a token that has ended here stays ended.
 */
export const GONE = '--------';

/** True for a row whose record was stored, also if the row or the record has gone since. */
export const wasTaken = ({ digest }: Pick<BookedRow, 'digest'>): boolean =>
  digest !== NOT_TAKEN && digest !== WAITING;

/** True for a row that was taken, and that the legacy database had when it was last looked at. */
export const isTaken = (row: BookedRow): boolean => wasTaken(row) && row.sum !== GONE;
