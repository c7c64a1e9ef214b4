import type { Document } from 'bson';
import { locationError } from '../../base/errors.ts';
import type { CommandDefinition } from './command.ts';

/** The fields that every command may have. checkSession refuses those of transactions. */
const COMMON_FIELDS = new Set([
  ...['$db', '$readPreference', '$clusterTime', '$audit', '$client', 'lsid', 'comment', 'rawData'],
  ...['txnNumber', 'startTransaction', 'autocommit', 'stmtId', 'stmtIds', 'readConcern', 'writeConcern'],
  ...['maxTimeMS', 'maxTimeMSOpOnly', 'apiVersion', 'apiStrict', 'apiDeprecationErrors'],
]);

/** True for a field that every command may have. */
export const isCommonField = (field: string): boolean => COMMON_FIELDS.has(field);

/** Refuses a field that neither this command nor every command has (40415). */
export function checkFields(name: string, command: Document, { fields }: CommandDefinition): void {
  const unknown = Object.keys(command).find(
    (field) => field !== name && !COMMON_FIELDS.has(field) && !fields.includes(field),
  );
  if (unknown) {
    throw locationError(40415, `BSON field '${name}.${unknown}' is an unknown field.`);
  }
}
