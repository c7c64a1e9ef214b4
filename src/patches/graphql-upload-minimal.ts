/*
 * graphql-upload-minimal 1.6.4: takes the listeners of its parser off the event `field`, and calls them after checks of its own.
 * Reason: the library follows inherited properties of a `map`: the path `variables.toString.call` would change a function that
 * all objects of this process share (CWE-1321). It also ignores parts of a request, and the second error of its parser.
 * tests/unit/patches/graphql-upload-minimal.test.ts fails when the library refuses such a request, or listens in another way.
 */
import type { Busboy, FieldInfo } from 'busboy';
import { BadRequestError } from '../system/errors.ts';

/** Checks the fields of a multipart request before the library reads them. An error of either method ends the request. */
export interface FieldGuard {
  /** @param operations as they were sent. The library rejects a value that is no object */
  operations(operations: object): void;
  /** @param isInside false if a path of the map leaves the operations that came before it */
  map(isInside: boolean): void;
}

/**
 * Lets a guard reject fields before the library reads them, and rejects what the library ignores.
 * @param parser the library's, with its listeners already in place
 * @param refuse ends the request
 */
export function guardParser(parser: Busboy, guard: FieldGuard, refuse: (reason: Error) => void): void {
  refuseIgnoredParts(parser, refuse);
  const listeners = parser.listeners('field');
  parser.removeAllListeners('field');
  let operations: unknown;
  parser.on('field', (name: string, text: string, info: FieldInfo) => {
    try {
      if (name === 'operations') {
        operations = parsed(text);
        if (isObject(operations) && !info.valueTruncated) {
          guard.operations(operations);
        }
      }
      if (name === 'map') {
        guard.map(staysInside(operations, text));
      }
    } catch (reason) {
      return refuse(reason as Error);
    }
    for (const listener of listeners) {
      Reflect.apply(listener, parser, [name, text, info]);
    }
  });
}

/**
 * Rejects parts that the library ignores. Nobody would read a second file with the same name, so the request would hang. A
 * third text field would be dropped. The library also handles only the first error of its parser: a part with a broken
 * header makes two, and the second would end the process.
 */
function refuseIgnoredParts(parser: Busboy, refuse: (reason: Error) => void): void {
  const names = new Set<string>();
  parser.on('file', (name) => {
    if (names.has(name)) {
      refuse(new BadRequestError('A file must not be sent twice under one name.'));
    }
    names.add(name);
  });
  parser.on('error', () => {});
  parser.on('fieldsLimit', () => {
    refuse(new BadRequestError('A multipart request has two text fields: operations and map.'));
  });
}

/**
 * True if each file has exactly one place, and that is inside the operation. A file without a place would never be read, so
 * the request would hang. A file with thousands of places would keep the library busy.
 */
function staysInside(operation: unknown, map: string): boolean {
  const places = parsed(map);
  // The library itself rejects broken JSON and other shapes.
  if (!(isObject(operation) && isObject(places))) {
    return true;
  }
  const paths = Object.values(places).map((place) => (isListOfTexts(place) ? place : []));
  const all = paths.flat();
  const isOnce = paths.every(({ length }) => length === 1) && new Set(all).size === all.length;
  return isOnce && all.every((path) => isFree(operation, path));
}

/**
 * True if a path leads only through own properties, to one that is null (as the specification demands) or missing.
 * No recursion: a path may have as many steps as fit into a field, and an error here would end the process.
 */
function isFree(operation: object, path: string): boolean {
  let value: unknown = operation;
  for (const key of path.split('.')) {
    if (!isObject(value)) {
      return false;
    }
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : null;
  }
  return value === null;
}

/** The library turns other values into texts, which can throw. */
const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
