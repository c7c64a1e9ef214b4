import { BadRequestError } from '../../system/errors.ts';

/** A place for a file in the variables of an operation. */
export interface Place {
  parent: object;
  key: string;
}

const notPlaces = () =>
  new BadRequestError(
    'Every file of the map must have a place of its own in the variables, where the operations have null.',
  );

/**
 * Reads the map of a GraphQL multipart request: for each file the paths of its places, such as `variables.input.licenseFile`. A
 * client sends a file once that several variables have.
 * @throws BadRequestError unless each file has a place, and each place is null or missing in the variables
 */
export function placesByName(operations: object, map: object): Map<string, Place[]> {
  const taken = new Set<unknown>();
  const placesOf = (paths: unknown): Place[] => {
    if (!Array.isArray(paths) || paths.length === 0) {
      throw notPlaces();
    }
    return paths.map((path: unknown) => {
      if (typeof path !== 'string' || taken.has(path)) {
        throw notPlaces();
      }
      taken.add(path);
      return placeAt(operations, path);
    });
  };
  return new Map(Object.entries(map).map(([name, paths]) => [name, placesOf(paths)]));
}

/**
 * Follows own properties alone: the path `variables.toString.call` would change a function that all objects of this process share
 * (CWE-1321). No recursion: a path may have as many steps as fit into a field.
 */
function placeAt(operations: object, path: string): Place {
  const steps = path.split('.');
  const key = steps.pop() ?? '';
  let parent: unknown = operations;
  for (const step of steps) {
    parent = isObject(parent) && Object.hasOwn(parent, step) ? Reflect.get(parent, step) : undefined;
  }
  const isFree =
    isObject(parent) && (Object.hasOwn(parent, key) ? Reflect.get(parent, key) === null : !(key in parent));
  if (steps[0] !== 'variables' || !isObject(parent) || !isFree) {
    throw notPlaces();
  }
  return { parent, key };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
