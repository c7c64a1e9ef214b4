import type { Document } from 'bson';
import { locationError } from '../../base/errors.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { isDocument } from '../../values/types.ts';

/** The parameters of an operator whose operand is a document, with MongoDB's errors. */
export interface Parameters {
  /** The operand is no document. */
  notDocument: number;
  /** There is another parameter. */
  unknown: number;
  /** The required parameters, in the order in which MongoDB looks for them, with the errors for their absence. */
  required: Record<string, number>;
  optional?: readonly string[];
}

/** The operand of an operator with named parameters. */
export function parametersOf(operand: unknown, name: string, parameters: Parameters): Document {
  const { notDocument, unknown, required, optional = [] } = parameters;
  if (!isDocument(operand)) {
    throw locationError(
      notDocument,
      `${name} only supports an object as its argument, not ${bsonTypeName(operand)}`,
    );
  }
  const extra = Object.keys(operand).find((key) => !Object.hasOwn(required, key) && !optional.includes(key));
  if (extra !== undefined) {
    throw locationError(unknown, `Unrecognized parameter to ${name}: ${extra}`);
  }
  for (const [key, code] of Object.entries(required)) {
    if (!Object.hasOwn(operand, key)) {
      throw locationError(code, `Missing '${key}' parameter to ${name}`);
    }
  }
  return operand;
}
