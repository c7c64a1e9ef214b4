import { mongoError } from '../../base/errors.ts';
import type { Collection } from '../../storage/collection.ts';
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
