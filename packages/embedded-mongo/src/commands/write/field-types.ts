import type { Document } from 'bson';
import { locationError, mongoError } from '../../base/errors.ts';
import { isNumeric } from '../../values/numbers.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { isDocument } from '../../values/types.ts';
import type { CommandContext } from '../support/command.ts';
import { batchOf } from './statements.ts';

const TESTS = {
  any: () => true,
  object: isDocument,
  objects: (value: unknown) => Array.isArray(value) && value.every(isDocument),
  bool: (value: unknown) => typeof value === 'boolean',
  safeBool: (value: unknown) => typeof value === 'boolean' || isNumeric(value),
};

/** The types of a command's fields, by their names (MongoDB's write_ops.idl). A name with an exclamation mark is required. */
export type FieldTypes = Record<string, keyof typeof TESTS>;

/** Refuses wrong types (14), missing fields (40414) and, in a statement, unknown fields (40415). Null is no value. */
export function checkFieldTypes(value: Document, types: FieldTypes, where: string): void {
  for (const [name, type] of Object.entries(types)) {
    const field = name.replace('!', '');
    const item = value[field] ?? undefined;
    if (item === undefined && name !== field) {
      throw locationError(40414, `BSON field '${where}.${field}' is missing but a required field`);
    }
    if (item !== undefined && !TESTS[type](item)) {
      const message = `BSON field '${where}.${field}' is the wrong type '${bsonTypeName(item)}', expected type '${type}'`;
      throw mongoError('TypeMismatch', message);
    }
  }
}

/** The fields that insert, update and delete share. */
export const BATCH_TYPES: FieldTypes = {
  ordered: 'bool',
  bypassDocumentValidation: 'safeBool',
  let: 'object',
};

/** Checks all statements of a batch before the first one runs: a malformed one fails the command. */
export function checkStatements(
  context: CommandContext,
  field: string,
  types: FieldTypes,
  where: string,
): void {
  checkFieldTypes(context.command, BATCH_TYPES, where);
  const known = Object.keys(types).map((name) => name.replace('!', ''));
  for (const statement of batchOf(context, field)) {
    if (!isDocument(statement)) {
      throw mongoError('TypeMismatch', `'${where}' must hold objects, not ${bsonTypeName(statement)}`);
    }
    const unknown = Object.keys(statement).find((name) => !known.includes(name));
    if (unknown) {
      throw locationError(40415, `BSON field '${where}.${unknown}' is an unknown field.`);
    }
    checkFieldTypes(statement, types, where);
  }
}
