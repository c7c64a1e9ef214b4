import type { Document } from 'bson';
import { TYPE_CODES } from '../../values/type-names.ts';
import type { CommandContext } from '../support/command.ts';
import { checkTypes, type FieldTypes, NUMBER } from '../support/fields.ts';
import { batchOf } from './statements.ts';

export const OBJECT = ['object'];
export const BOOL = ['bool'];
export const SAFE_BOOL = ['bool', ...NUMBER];
export const ANY = Object.keys(TYPE_CODES);

/** The fields that insert, update and delete share. */
export const BATCH_TYPES: FieldTypes = { ordered: BOOL, bypassDocumentValidation: SAFE_BOOL, let: OBJECT };

/** The fields of a command that have types here, without nulls. Throws TypeMismatch (14). */
export function typedFields(command: Document, where: string, types: FieldTypes): Document {
  const known = Object.entries(command).filter(([name]) => Object.hasOwn(types, name));
  const fields: Document = Object.fromEntries(known);
  checkTypes(fields, where, {}, types);
  return fields;
}

/** Checks all statements of a batch before the first one runs: a malformed one fails the command. */
export function checkStatements(
  context: CommandContext,
  field: string,
  ...types: [required: FieldTypes, optional: FieldTypes]
): void {
  const where = Object.keys(context.command)[0] as string;
  typedFields(context.command, where, BATCH_TYPES);
  for (const statement of batchOf(context, field)) {
    checkTypes({ [field]: statement }, where, { [field]: OBJECT });
    checkTypes(statement as Document, `${where}.${field}`, ...types);
  }
}
