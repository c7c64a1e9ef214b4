import type { Finding } from '../legacy-context.ts';
import { type Conversion, NO_ACCOUNT, type Reason } from '../records/legacy-record.ts';
import type { RecordKind } from '../records/record-kind.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { NewRecord } from './insert-records.ts';
import type { KeySet } from './key-set.ts';

/** Rows, what each has become, and the findings about those that have become nothing. */
export interface ConvertedRows<T> {
  rows: LegacyRow[];
  /** In the order of the rows. */
  records: (NewRecord<T> | undefined)[];
  /** Why a row has become nothing, by its key. */
  reasons: Map<string, Reason>;
  findings: Finding[];
}

/**
 * Converts rows.
 * @param taken the ids of the accounts that were taken
 */
export function convertRows<T extends { _id: string }>(
  rows: LegacyRow[],
  kind: RecordKind<T>,
  conversion: Conversion,
  taken: Pick<KeySet, 'has'>,
): ConvertedRows<T> {
  const findings: Finding[] = [];
  const reasons = new Map<string, Reason>();
  const converted = rows.map((row) => {
    const account = kind.accountOf(row);
    // A row without an account there has a reason of its own.
    const isOrphan = row.hasAccount && typeof account === 'string' && !taken.has(account);
    const result = isOrphan ? { reason: NO_ACCOUNT } : kind.convert(row, conversion);
    if (result.reason === undefined) {
      return result;
    }
    reasons.set(row.key, result.reason);
    findings.push({ kind: kind.name, id: row.key, outcome: 'not taken', reason: result.reason });
    return undefined;
  });
  return { rows, records: converted, reasons, findings };
}
