import { isDeepStrictEqual } from 'node:util';
import { EJSON } from 'bson';
import type { Document } from 'mongodb';

/** Throws if a value does not match, by the rules of the unified test format: special operators, and extra keys at the root. */
export function expectMatch(actual: unknown, expected: unknown, path: string, isRoot = true): void {
  if (isOperator(expected)) {
    matchOperator(actual, expected, path);
  } else if (Array.isArray(expected)) {
    const items =
      Array.isArray(actual) && actual.length === expected.length ? actual : fail(actual, expected, path);
    for (const [i, item] of expected.entries()) {
      expectMatch(items[i], item, `${path}[${i}]`, isRoot);
    }
  } else if (isPlain(expected)) {
    matchDocument(actual, expected, path, isRoot);
  } else if (
    !isDeepStrictEqual(plainNumber(actual), plainNumber(EJSON.deserialize({ value: expected }).value))
  ) {
    fail(actual, expected, path);
  }
}

function matchDocument(actual: unknown, expected: Document, path: string, isRoot: boolean): void {
  if (typeof actual !== 'object' || actual === null) {
    fail(actual, expected, path);
  }
  // The driver sends a sort as a Map.
  const fields: Document = actual instanceof Map ? Object.fromEntries(actual) : (actual as Document);
  const inner = isRoot && path.startsWith('events');
  for (const [key, value] of Object.entries(expected)) {
    expectMatch(fields[key], value, `${path}.${key}`, inner);
  }
  const extra = Object.keys(fields).find((key) => !(key in expected) && fields[key] !== undefined);
  if (extra && !isRoot) {
    fail(actual, expected, `${path}.${extra}`);
  }
}

function matchOperator(actual: unknown, expected: Document, path: string): void {
  if ('$$unsetOrMatches' in expected) {
    if (actual !== undefined) {
      expectMatch(actual, expected.$$unsetOrMatches, path);
    }
  } else if ('$$exists' in expected) {
    if ((actual !== undefined) !== expected.$$exists) {
      fail(actual, expected, path);
    }
  } else if ('$$type' in expected) {
    if (![expected.$$type].flat().includes(typeName(actual))) {
      fail(actual, expected, path);
    }
  }
}

/** The types that the files name: those of a hint and of a cursor's id. */
function typeName(value: unknown): string {
  if (typeof value === 'string') {
    return 'string';
  }
  return isPlain(value) ? 'object' : 'long';
}

function isOperator(value: unknown): value is Document {
  return isPlain(value) && ['$$unsetOrMatches', '$$exists', '$$type'].includes(Object.keys(value)[0] ?? '');
}

function isPlain(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('_bsontype' in value);
}

function plainNumber(value: unknown): unknown {
  return typeof value === 'object' && value !== null && '_bsontype' in value ? Number(value) : value;
}

function fail(actual: unknown, expected: unknown, path: string): never {
  throw new Error(`${path}: expected ${EJSON.stringify(expected)}, got ${EJSON.stringify(actual)}`);
}
