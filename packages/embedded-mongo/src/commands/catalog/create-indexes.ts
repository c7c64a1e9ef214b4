import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import type { Catalog } from '../../storage/catalog.ts';
import type { Collection } from '../../storage/collection.ts';
import type { IndexBuild } from '../../storage/index-build.ts';
import { describeIndex, ID_INDEX_NAME, type IndexSpec } from '../../storage/index-spec.ts';
import { equalValues } from '../../values/compare.ts';
import { display } from '../../values/display.ts';
import { type CommandContext, type CommandDefinition, type Engine, namespaceOf } from '../support/command.ts';
import { arrayField } from '../support/fields.ts';
import { parseIndexSpec } from './parse-index-spec.ts';

/** MongoDB's limit for one collection. */
const MAX_INDEXES = 64;

/** Creates all of its indexes, or none. Other commands go first now and then. */
export const createIndexesCommand: CommandDefinition = {
  fields: ['indexes', 'commitQuorum'],
  isWrite: true,
  run: createIndexes,
};

async function createIndexes(context: CommandContext): Promise<Document> {
  const { catalog } = context.engine;
  const namespace = namespaceOf(context);
  const wanted = arrayField(context.command, 'indexes').map(parseIndexSpec);
  if (wanted.length === 0) {
    throw mongoError('BadValue', 'Must specify at least one index to create');
  }
  return catalog.afterBuilds(namespace, () => buildAll(context.engine, namespace, wanted));
}

async function buildAll(
  { store, catalog }: Engine,
  namespace: string,
  wanted: readonly Omit<IndexSpec, 'id'>[],
): Promise<Document> {
  // A small collection needs one transaction only.
  const { build, reply, ...start } = await store.write(() => {
    const { build, reply } = startBuild(catalog, namespace, wanted);
    return { build, reply, isComplete: !build || catalog.advance(build) };
  });
  for (let { isComplete } = start; build && !isComplete; ) {
    isComplete = await store.write(() => catalog.advance(build));
  }
  for (const index of build?.indexes ?? []) {
    index.isCommitted = true;
  }
  return reply;
}

function startBuild(
  catalog: Catalog,
  namespace: string,
  wanted: readonly Omit<IndexSpec, 'id'>[],
): { build: IndexBuild | undefined; reply: Document } {
  const createdCollectionAutomatically = !catalog.find(namespace);
  const collection = catalog.ensure(namespace);
  const numIndexesBefore = collection.indexes.length;
  const missing = wanted.filter((spec) => !exists(collection, spec));
  const numIndexesAfter = numIndexesBefore + missing.length;
  if (numIndexesAfter > MAX_INDEXES) {
    throw mongoError('CannotCreateIndex', `add index fails, too many indexes for ${namespace}`);
  }
  const note = missing.length === 0 ? { note: 'all indexes already exist' } : {};
  return {
    build: missing.length > 0 ? catalog.startBuild(collection, missing) : undefined,
    reply: { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically, ...note },
  };
}

/** True if the same index exists. Throws if another index has its name, or its keys under another name. */
function exists(collection: Collection, spec: Omit<IndexSpec, 'id'>): boolean {
  if (equalValues(spec.key, { _id: 1 })) {
    return true;
  }
  const existing = collection.indexes.map((index) => index.spec);
  const named = existing.find((each) => each.name === spec.name);
  if (named && isSame(named, spec)) {
    return true;
  }
  if (named || spec.name === ID_INDEX_NAME) {
    const [requested, found] = [display(describeIndex(spec)), display(named && describeIndex(named))];
    const message = `An existing index has the same name as the requested index. Requested index: ${requested}, existing index: ${found}`;
    throw mongoError('IndexKeySpecsConflict', message);
  }
  const partial = spec.options.partialFilterExpression;
  const equivalent = existing.find(
    (each) => equalValues(each.key, spec.key) && equalValues(each.options.partialFilterExpression, partial),
  );
  if (!equivalent) {
    return false;
  }
  throw mongoError('IndexOptionsConflict', `Index already exists with a different name: ${equivalent.name}`);
}

function isSame(a: IndexSpec, b: Omit<IndexSpec, 'id'>): boolean {
  return equalValues(a.key, b.key) && a.unique === b.unique && equalValues(a.options, b.options);
}
