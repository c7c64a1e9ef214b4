import type { Busboy, FieldInfo } from 'busboy';

/** Checks the fields of a multipart request before the library reads them. Both methods may throw, which ends the request. */
export interface FieldGuard {
  /** @param operations as they were sent; the library refuses a value that is no object */
  operations(operations: object): void;
  /** @param isInside false if a path of the map leaves the operations that came before it */
  map(isInside: boolean): void;
}

/**
 * Keeps fields that the guard refuses from the library, such as a `map` that leaves the operation. The library also follows
 * inherited properties: with the path `variables.toString.call` it would change the prototype of all objects of this
 * process (CWE-1321).
 * @param parser the library's, with its listeners already in place
 * @param refuse ends the request
 */
export function guardFields(parser: Busboy, guard: FieldGuard, refuse: (reason: Error) => void): void {
  const listeners = parser.listeners('field');
  parser.removeAllListeners('field');
  let operations: unknown;
  parser.on('field', (name: string, text: string, info: FieldInfo) => {
    try {
      if (name === 'operations') {
        operations = parsed(text);
        if (isObject(operations) && !info.valueTruncated) guard.operations(operations);
      }
      if (name === 'map') guard.map(staysInside(operations, text));
    } catch (reason) {
      return refuse(reason as Error);
    }
    for (const listener of listeners) Reflect.apply(listener, parser, [name, text, info]);
  });
}

/**
 * False where a file has no place, or one that is not the operation's own to give: nobody would read such a file, and
 * the request would wait for it for ever. Nor may it have several: the library would look for each of the thousands that
 * there may be.
 */
function staysInside(operation: unknown, map: string): boolean {
  const places = parsed(map);
  // What is no JSON, or of another shape, the library refuses in words of its own.
  if (!(isObject(operation) && isObject(places))) return true;
  const paths = Object.values(places).map((place) => (isListOfTexts(place) ? place : []));
  const all = paths.flat();
  const isOnce = paths.every(({ length }) => length === 1) && new Set(all).size === all.length;
  return isOnce && all.every((path) => isFree(operation, path));
}

/**
 * Whether a path leads through own properties alone to one that is null, as the specification has it, or not there.
 * It may have as many steps as a field has room for, and whatever is thrown here ends the process: so no recursion.
 */
function isFree(operation: object, path: string): boolean {
  let value: unknown = operation;
  for (const key of path.split('.')) {
    if (!isObject(value)) return false;
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : null;
  }
  return value === null;
}

/** Anything else is not to be made a text of: that can throw. */
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
