import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { compileFilter, type Matcher } from '../matching/matcher.ts';
import { display } from '../values/display.ts';
import type { MatchContext } from '../values/match-context.ts';
import { innerName, splitPath } from '../values/names.ts';
import { getPath, setPath } from '../values/set-path.ts';
import { isDocument, MISSING } from '../values/types.ts';
import type { UpdateContext } from './updater.ts';

/** Gives the elements of an array that one of the parts `$`, `$[]` and `$[name]` of a path stands for. */
type PositionResolver = (part: string, path: string, items: readonly unknown[]) => number[];

/** The concrete paths in a document that an update path with positional parts stands for. */
export function concretePaths(
  document: Document,
  parts: readonly string[],
  resolve: PositionResolver,
): string[][] {
  const at = parts.findIndex((part) => part.startsWith('$'));
  if (at < 0) {
    return [[...parts]];
  }
  const before = parts.slice(0, at);
  const path = before.join('.');
  const items = getPath(document, before);
  if (items === MISSING) {
    const message = `The path '${path}' must exist in the document in order to apply array updates.`;
    throw mongoError('BadValue', message);
  }
  if (!Array.isArray(items)) {
    throw mongoError(
      'BadValue',
      `Cannot apply array updates to non-array element ${before.at(-1)}: ${display(items)}`,
    );
  }
  return resolve(parts[at] as string, path, items).flatMap((index) =>
    concretePaths(document, [...before, innerName(String(index)), ...parts.slice(at + 1)], resolve),
  );
}

/**
 * Resolves `$` by the filter, `$[]` to all elements, and `$[name]` by the array filters.
 * @param paths all paths of the update: each array filter must occur in one of them
 */
export function positionResolver(
  { filter, arrayFilters = [], ...context }: UpdateContext,
  paths: readonly string[],
): (document: Document) => PositionResolver {
  const named = compileArrayFilters(arrayFilters, paths, context);
  return (document) => (part, path, items) => {
    const all = [...items.keys()];
    if (part === '$[]') {
      return all;
    }
    if (part === '$') {
      return [matchedPosition(filter, document, path, items, context)];
    }
    const name = part.slice(2, -1);
    const test = named.get(name);
    if (!test) {
      throw mongoError(
        'BadValue',
        `No array filter found for identifier '${name}' in path '${path}.${part}'`,
      );
    }
    return all.filter((index) => test({ [name]: items[index] }));
  };
}

/** The array filters by the name of their identifier. */
function compileArrayFilters(
  arrayFilters: readonly Document[],
  paths: readonly string[],
  context: MatchContext,
): Map<string, Matcher> {
  const named = new Map<string, Matcher>();
  for (const each of arrayFilters) {
    const name = identifierOf(each);
    if (named.has(name)) {
      throw mongoError(
        'FailedToParse',
        `Found multiple array filters with the same top-level field name ${name}`,
      );
    }
    if (!paths.some((path) => splitPath(path).includes(`$[${name}]`))) {
      throw mongoError(
        'FailedToParse',
        `The array filter for identifier '${name}' was not used in the update`,
      );
    }
    named.set(name, compileFilter(each, context));
  }
  return named;
}

function identifierOf(filter: Document): string {
  const [name = ''] = Object.keys(filter);
  if (!name.startsWith('$')) {
    return splitPath(name)[0] as string;
  }
  const clauses = filter[name];
  return Array.isArray(clauses) && isDocument(clauses[0]) ? identifierOf(clauses[0]) : name;
}

/** The first element of the array that satisfies a condition of the filter on that array. */
function matchedPosition(
  filter: Document,
  document: Document,
  path: string,
  items: readonly unknown[],
  context: MatchContext,
): number {
  for (const [name, condition] of conditionsOn(filter, path)) {
    const test = compileFilter({ [name]: condition }, context);
    const index = items.findIndex((item) => {
      const only = copyDocuments(document);
      setPath(only, splitPath(path), [item]);
      return test(only);
    });
    if (index >= 0) {
      return index;
    }
  }
  throw mongoError('BadValue', 'The positional operator did not find the match needed from the query.');
}

function conditionsOn(filter: Document, path: string): [string, unknown][] {
  return Object.entries(filter).flatMap(([name, condition]) => {
    if (name === '$and') {
      return (condition as Document[]).flatMap((each) => conditionsOn(each, path));
    }
    return name === path || name.startsWith(`${path}.`) ? [[name, condition] as [string, unknown]] : [];
  });
}

/** Copies the documents in a document, not the values: enough to put another array into it. */
function copyDocuments(value: Document): Document {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isDocument(item) ? copyDocuments(item) : item]),
  );
}
