import type { Busboy, FieldInfo } from 'busboy';

/**
 * Lets the library read no `map` that leaves the operation. It follows a path through whatever a value inherits, so that
 * `variables.toString.call` would replace what every object of this process has in common (CWE-1321).
 * @param parser the library's, with its listeners already in place
 * @param refuse ends the request
 */
export function guardUploadMap(parser: Busboy, refuse: () => void): void {
  const listeners = parser.listeners('field');
  parser.removeAllListeners('field');
  let operations = '';
  parser.on('field', (name: string, text: string, info: FieldInfo) => {
    if (name === 'operations') operations = text;
    if (name === 'map' && !staysInside(operations, text)) return refuse();
    for (const listener of listeners) Reflect.apply(listener, parser, [name, text, info]);
  });
}

/**
 * False where a file has no place, or one that is not the operation's own to give: nobody would read such a file, and
 * the request would wait for it for ever.
 */
function staysInside(operations: string, map: string): boolean {
  const operation = parsed(operations);
  const places = parsed(map);
  // What is no JSON, or of another shape, the library refuses in words of its own.
  if (!(isObject(operation) && isObject(places))) return true;
  const paths = Object.values(places).map((place) => (Array.isArray(place) ? place.map(String) : []));
  const all = paths.flat();
  const isOnce = paths.every(({ length }) => length > 0) && new Set(all).size === all.length;
  return isOnce && all.every((path) => isFree(operation, path.split('.')));
}

/** Whether a path leads through own properties alone to one that is null, as the specification has it, or not there. */
function isFree(value: unknown, [key = '', ...rest]: string[]): boolean {
  if (!isObject(value)) return false;
  const child: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : null;
  return rest.length === 0 ? child === null : isFree(child, rest);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
