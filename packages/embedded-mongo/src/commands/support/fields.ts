import type { Document } from 'bson';
import { locationError, mongoError } from '../../base/errors.ts';
import { lookUp } from '../../base/look-up.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { isDocument } from '../../values/types.ts';

/** The BSON types that fields may have, by their names. */
export type FieldTypes = Record<string, readonly string[]>;

/** Any number, in FieldTypes. */
export const NUMBER = ['int', 'long', 'double', 'decimal'];

/** A field that must be a document; an empty one if it is absent. */
export function documentField(command: Document, name: string): Document {
  const value = command[name] ?? {};
  if (isDocument(value)) {
    return value;
  }
  throw wrongType(name, value, ['object']);
}

/** A field that must be an array; an empty one if it is absent. */
export function arrayField(command: Document, name: string): unknown[] {
  const value = command[name] ?? [];
  if (Array.isArray(value)) {
    return value;
  }
  throw wrongType(name, value, ['array']);
}

/**
 * A field that must be a number of at least zero, without its fraction; undefined if it is absent.
 * @param kind a query answers BadValue (2) to a negative number, other commands 51024
 */
export function countField(
  command: Document,
  name: string,
  kind: 'query' | 'other' = 'other',
): number | undefined {
  const value = command[name];
  if (value === undefined || value === null) {
    return undefined;
  }
  const number = Number(value);
  if (typeof value === 'string' || typeof value === 'boolean' || !Number.isFinite(number)) {
    throw wrongType(name, value, NUMBER);
  }
  if (number < 0) {
    const text = `BSON field '${name}' value must be >= 0, actual value '${number}'`;
    throw kind === 'query' ? mongoError('BadValue', text) : locationError(51024, text);
  }
  return Math.trunc(number);
}

/**
 * Checks a document with known fields, and removes nulls: MongoDB takes null for an absent field.
 * @throws CommandError for an unknown field (40415), a missing one (40414) and one of the wrong type (14)
 */
export function checkTypes(value: Document, where: string, required: FieldTypes, optional: FieldTypes = {}) {
  for (const [name, item] of Object.entries(value)) {
    const types = lookUp(optional, name) ?? lookUp(required, name);
    if (!types) {
      throw locationError(40415, `BSON field '${where}.${name}' is an unknown field.`);
    }
    if (item === null || item === undefined) {
      delete value[name];
    } else if (!types.includes(bsonTypeName(item))) {
      throw wrongType(`${where}.${name}`, item, types);
    }
  }
  for (const name in required) {
    if (!Object.hasOwn(value, name)) {
      throw locationError(40414, `BSON field '${where}.${name}' is missing but a required field`);
    }
  }
}

/** The error for a field of another type (14). */
export function wrongType(name: string, value: unknown, types: readonly string[]): Error {
  const message = `is the wrong type '${bsonTypeName(value)}', expected types '[${types.join(', ')}]'`;
  return mongoError('TypeMismatch', `BSON field '${name}' ${message}`);
}
