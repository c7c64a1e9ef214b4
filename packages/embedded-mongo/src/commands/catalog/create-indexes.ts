import type { Document } from 'bson';
import { demand, mongoError } from '../../base/errors.ts';
import type { Catalog } from '../../storage/catalog.ts';
import type { IndexBuild } from '../../storage/index-build.ts';
import { ID_INDEX_NAME, type IndexSpec } from '../../storage/index-spec.ts';
import { equalValues } from '../../values/compare.ts';
import { display } from '../../values/display.ts';
import { type CommandContext, type CommandDefinition, type Engine, namespaceOf } from '../support/command.ts';
import { arrayField } from '../support/fields.ts';
import { parseIndexSpec } from './parse-index-spec.ts';

type NewIndex = Omit<IndexSpec, 'id'>;

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
  const given = arrayField(context.command, 'indexes');
  // To compare so many would take minutes.
  demand(
    given.length <= MAX_INDEXES,
    'CannotCreateIndex',
    `add index fails, too many indexes for ${namespace}`,
  );
  const wanted = given.map(parseIndexSpec);
  if (wanted.length === 0) {
    throw mongoError('BadValue', 'Must specify at least one index to create');
  }
  return catalog.afterBuilds(namespace, () => buildAll(context.engine, namespace, wanted));
}

async function buildAll(
  { store, catalog }: Engine,
  namespace: string,
  wanted: readonly NewIndex[],
): Promise<Document> {
  let start: { build?: IndexBuild; reply: Document } = { reply: {} };
  const advance = () => !start.build || catalog.advance(start.build);
  // A small collection needs one transaction only.
  let isComplete = await store.write(() => {
    start = startBuild(catalog, namespace, wanted);
    return advance();
  });
  while (!isComplete) {
    isComplete = await store.write(advance);
  }
  for (const index of start.build?.indexes ?? []) {
    index.isCommitted = true;
  }
  return start.reply;
}

function startBuild(catalog: Catalog, namespace: string, wanted: readonly NewIndex[]) {
  const existing = catalog.find(namespace)?.indexes.map(({ spec }) => spec);
  const missing = missingOf(existing ?? [], wanted);
  const collection = catalog.ensure(namespace);
  const numIndexesBefore = collection.indexes.length;
  const numIndexesAfter = numIndexesBefore + missing.length;
  if (numIndexesAfter > MAX_INDEXES) {
    throw mongoError('CannotCreateIndex', `add index fails, too many indexes for ${namespace}`);
  }
  const reply = { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically: !existing };
  return missing.length > 0
    ? { reply, build: catalog.startBuild(collection, missing) }
    : { reply: { ...reply, note: 'all indexes already exist' } };
}

/** The indexes that do not exist. Throws if two of them are the same. */
function missingOf(existing: readonly NewIndex[], wanted: readonly NewIndex[]): NewIndex[] {
  const missing: NewIndex[] = [];
  for (const spec of wanted.filter((each) => !exists(existing, each))) {
    if (exists(missing, spec)) {
      throw mongoError('IndexAlreadyExists', `Identical index already exists: ${spec.name}`);
    }
    missing.push(spec);
  }
  return missing;
}

/** True if the same index exists. Throws if another index has its name, or its keys under another name. */
function exists(existing: readonly NewIndex[], spec: NewIndex): boolean {
  if (equalValues(spec.key, { _id: 1 })) {
    return true;
  }
  const named = existing.find((each) => each.name === spec.name);
  if (named && isSame(named, spec)) {
    return true;
  }
  if (named || spec.name === ID_INDEX_NAME) {
    throw mongoError('IndexKeySpecsConflict', `Another index has the name ${display(spec.name)}`);
  }
  const identity = ({ key, unique, options: { sparse, partialFilterExpression } }: NewIndex) =>
    [key, unique, sparse, partialFilterExpression].map((each) => each ?? null);
  const equivalent = existing.find((each) => equalValues(identity(each), identity(spec)));
  if (!equivalent) {
    return false;
  }
  throw mongoError('IndexOptionsConflict', `Index already exists with a different name: ${equivalent.name}`);
}

function isSame(a: NewIndex, b: NewIndex): boolean {
  return equalValues(a.key, b.key) && a.unique === b.unique && equalValues(a.options, b.options);
}
