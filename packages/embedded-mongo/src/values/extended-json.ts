import { Double, EJSON } from 'bson';
import { outerName } from './names.ts';
import { isDocument, isInt32 } from './types.ts';

/**
 * A value in the form of `decode` as Extended JSON. bson's own writer would lose the order of fields whose names are whole
 * numbers.
 * @param options relaxed: numbers and dates are plain JSON, and their types may be lost
 */
export function extendedJson(value: unknown, options: { relaxed: boolean }): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => extendedJson(item, options)).join(',')}]`;
  }
  if (isDocument(value)) {
    const fields = Object.entries(value).map(
      ([name, item]) => `${JSON.stringify(outerName(name))}:${extendedJson(item, options)}`,
    );
    return `{${fields.join(',')}}`;
  }
  // bson would write a whole number beyond an int as a long.
  const scalar = typeof value === 'number' && !isInt32(value) ? new Double(value) : value;
  return EJSON.stringify(scalar, options);
}
