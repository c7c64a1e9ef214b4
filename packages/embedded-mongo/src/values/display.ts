import { ObjectId } from 'bson';
import { extendedJson } from './extended-json.ts';
import { outerName } from './names.ts';
import { isDocument } from './types.ts';

/** A value in about the form of MongoDB's error messages. */
export function display(value: unknown): string {
  if (value instanceof ObjectId) {
    return `ObjectId('${value.toHexString()}')`;
  }
  if (Array.isArray(value)) {
    return `[ ${value.map(display).join(', ')} ]`;
  }
  if (!isDocument(value)) {
    return value === undefined ? 'undefined' : extendedJson(value, { relaxed: true });
  }
  const fields = Object.entries(value).map(([name, item]) => `${outerName(name)}: ${display(item)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
