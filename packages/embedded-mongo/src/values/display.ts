import { Double, EJSON, Long, ObjectId } from 'bson';
import { outerName } from './names.ts';
import { isDocument } from './types.ts';

/** A value in the form of MongoDB's error messages. */
export function display(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value);
  }
  if (value instanceof ObjectId) {
    return `ObjectId('${value.toHexString()}')`;
  }
  if (value instanceof Date) {
    return `new Date(${value.getTime()})`;
  }
  if (value instanceof Double) {
    return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
  }
  if (value instanceof Long) {
    return value.toString();
  }
  if (Array.isArray(value)) {
    return `[ ${value.map(display).join(', ')} ]`;
  }
  if (!isDocument(value)) {
    return typeof value === 'object' && value ? EJSON.stringify(value) : String(value);
  }
  const fields = Object.entries(value).map(([name, item]) => `${outerName(name)}: ${display(item)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
