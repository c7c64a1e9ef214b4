import { mongoError } from '../../base/errors.ts';
import type { Collection } from '../../storage/collection.ts';
import type { Index } from '../../storage/index-spec.ts';
import { equalValues } from '../../values/compare.ts';
import { display } from '../../values/display.ts';
import { isDocument } from '../../values/types.ts';
import { type CommandContext, namespaceOf } from './command.ts';

/** The command's collection. Throws NamespaceNotFound (26) with `problem` if it does not exist. */
export function existingCollection(context: CommandContext, problem: string): Collection {
  const namespace = namespaceOf(context);
  const collection = context.engine.catalog.find(namespace);
  if (collection) {
    return collection;
  }
  throw mongoError('NamespaceNotFound', `${problem}: ${namespace}`);
}

/** The index with this name or key. Throws IndexNotFound (27) or AmbiguousIndexKeyPattern (181). */
export function existingIndex(
  { allIndexes, namespace }: Collection,
  wanted: unknown,
  among: readonly Index[] = allIndexes,
): Index {
  const [found, another] = among.filter(({ spec }) =>
    isDocument(wanted) ? equalValues(spec.key, wanted) : spec.name === wanted,
  );
  if (another) {
    throw mongoError('AmbiguousIndexKeyPattern', `several indexes match ${display(wanted)}, use a name`);
  }
  if (!found) {
    throw mongoError('IndexNotFound', `index ${display(wanted)} not found in ${namespace}`);
  }
  return found;
}
