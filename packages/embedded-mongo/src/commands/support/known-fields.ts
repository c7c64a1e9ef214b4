import type { Document } from 'bson';
import { locationError } from '../../base/errors.ts';
import type { CommandDefinition } from './command.ts';

/** The fields that every command may have. checkSession refuses those of transactions. */
const COMMON_FIELDS = new Set([
  '$db',
  '$readPreference',
  '$clusterTime',
  '$audit',
  '$client',
  'lsid',
  'txnNumber',
  'startTransaction',
  'autocommit',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
  'maxTimeMSOpOnly',
  'comment',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
  'rawData',
  'stmtId',
  'stmtIds',
]);

/** Refuses a field that neither this command nor every command has (40415). */
export function checkFields(name: string, command: Document, { fields }: CommandDefinition): void {
  for (const field of Object.keys(command)) {
    if (field !== name && !COMMON_FIELDS.has(field) && !fields.includes(field)) {
      throw locationError(40415, `BSON field '${name}.${field}' is an unknown field.`);
    }
  }
}
