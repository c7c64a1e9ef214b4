import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { compileFilter } from '../matching/matcher.ts';
import type { Collection } from '../storage/collection.ts';
import { ID_INDEX_NAME, type Index, type IndexSpec } from '../storage/index-spec.ts';
import { equalValues } from '../values/compare.ts';
import { display, isDocument } from '../values/values.ts';
import { arrayField, type CommandContext, namespaceOf } from './command.ts';

const KNOWN_OPTIONS = new Set([
  'v',
  'key',
  'name',
  'ns',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'background',
  'hidden',
  'collation',
]);
const MAX_INDEXES = 64;

/** The `createIndexes` command: all of its indexes or none. */
export async function createIndexes(context: CommandContext): Promise<Document> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  const wanted = arrayField(context.command, 'indexes').map(checkSpecification);
  if (wanted.length === 0) throw mongoError('BadValue', 'Must specify at least one index to create');
  const { added, ...reply } = await store.write(() => {
    const createdCollectionAutomatically = !catalog.find(namespace);
    const collection = catalog.ensure(namespace);
    const numIndexesBefore = collection.indexes.length;
    const missing = wanted.filter((spec) => !isPresent(collection, spec));
    if (numIndexesBefore + missing.length > MAX_INDEXES) {
      throw mongoError('CannotCreateIndex', `add index fails, too many indexes for ${namespace}`);
    }
    const added = addAll(collection, missing, () => catalog.newId());
    const numIndexesAfter = collection.indexes.length;
    const note = missing.length === 0 ? { note: 'all indexes already exist' } : {};
    return { added, numIndexesBefore, numIndexesAfter, createdCollectionAutomatically, ...note };
  });
  for (const index of added) index.isCommitted = true;
  return reply;
}

function addAll(
  collection: Collection,
  specs: readonly Omit<IndexSpec, 'id'>[],
  newId: () => number,
): Index[] {
  const added: Index[] = [];
  try {
    for (const spec of specs) added.push(collection.addIndex({ ...spec, id: newId() }));
    return added;
  } catch (error) {
    for (const index of added) collection.dropIndex(index);
    throw error;
  }
}

function checkSpecification(given: unknown): Omit<IndexSpec, 'id'> {
  if (!isDocument(given) || !isDocument(given.key))
    throw mongoError('FailedToParse', "The 'key' field is a required property of an index specification");
  const unknown = Object.keys(given).find((name) => !KNOWN_OPTIONS.has(name));
  if (unknown)
    throw mongoError(
      'InvalidIndexSpecificationOption',
      `The field '${unknown}' is not valid for an index specification. Specification: ${display(given)}`,
    );
  const { key, name, unique, sparse, partialFilterExpression, expireAfterSeconds, hidden, collation } = given;
  if (typeof name !== 'string' || name === '')
    throw mongoError('FailedToParse', "The 'name' field is a required property of an index specification");
  if (collation !== undefined && collation.locale !== 'simple')
    throw mongoError('NotImplemented', 'an index with a collation is not implemented by the embedded engine');
  const options = {
    ...(sparse && { sparse: true }),
    ...(partialFilterExpression && { partialFilterExpression }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds: checkTtl(expireAfterSeconds, key) }),
    ...(hidden && { hidden: true }),
  };
  if (sparse && partialFilterExpression)
    throw mongoError('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
  if (partialFilterExpression) compileFilter(partialFilterExpression);
  return { name, key: checkKey(key), unique: Boolean(unique), options };
}

function checkKey(key: Document): Record<string, 1 | -1> {
  const fields = Object.entries(key);
  if (fields.length === 0) throw mongoError('CannotCreateIndex', 'Index keys cannot be an empty object');
  if (fields.length > 32)
    throw mongoError('CannotCreateIndex', 'Index key pattern has too many fields (max 32)');
  return Object.fromEntries(
    fields.map(([field, direction]) => [checkField(field), checkDirection(field, direction)]),
  );
}

function checkField(field: string): string {
  if (field.includes('$**'))
    throw mongoError('CannotCreateIndex', 'wildcard indexes are not implemented by the embedded engine');
  if (field.split('.').some((part) => part === '' || part.startsWith('$'))) {
    throw mongoError(
      'CannotCreateIndex',
      `Index keys cannot contain an empty field or one that starts with '$': '${field}'`,
    );
  }
  return field;
}

function checkDirection(field: string, direction: unknown): 1 | -1 {
  if (typeof direction === 'string') {
    throw mongoError(
      'CannotCreateIndex',
      `index type '${direction}' of '${field}' is not implemented by the embedded engine`,
    );
  }
  const number = Number(direction);
  if (!number || typeof direction === 'boolean')
    throw mongoError(
      'CannotCreateIndex',
      `Values in the index key pattern must be non-zero numbers, not ${display(direction)}`,
    );
  return number > 0 ? 1 : -1;
}

function checkTtl(seconds: unknown, key: Document): number {
  const number = Number(seconds);
  if (typeof seconds === 'string' || !(number >= 0 && number <= 0x7fffffff)) {
    throw mongoError(
      'CannotCreateIndex',
      `TTL index 'expireAfterSeconds' option must be within an acceptable range, not ${display(seconds)}`,
    );
  }
  if (Object.keys(key).length > 1)
    throw mongoError(
      'CannotCreateIndex',
      'TTL indexes are single-field indexes, compound indexes do not support TTL',
    );
  if ('_id' in key)
    throw mongoError(
      'CannotCreateIndex',
      "The field 'expireAfterSeconds' is not valid for an _id index specification",
    );
  return number;
}

/** Whether the very index exists; throws when another one has its name, or its keys under another name. */
function isPresent(collection: Collection, spec: Omit<IndexSpec, 'id'>): boolean {
  if (equalValues(spec.key, { _id: 1 })) return true;
  const same = (existing: IndexSpec) =>
    equalValues(existing.key, spec.key) &&
    existing.unique === spec.unique &&
    equalValues(existing.options, spec.options);
  const existing = collection.indexes.map((index) => index.spec);
  const named = existing.find((each) => each.name === spec.name);
  if (named && same(named)) return true;
  if (named || spec.name === ID_INDEX_NAME) {
    const message = `An existing index has the same name as the requested index. Requested index: ${display(describeIndex(spec))}, existing index: ${display(named && describeIndex(named))}`;
    throw mongoError('IndexKeySpecsConflict', message);
  }
  const partial = spec.options.partialFilterExpression;
  const equivalent = existing.find(
    (each) => equalValues(each.key, spec.key) && equalValues(each.options.partialFilterExpression, partial),
  );
  if (!equivalent) return false;
  throw mongoError('IndexOptionsConflict', `Index already exists with a different name: ${equivalent.name}`);
}

/** An index as listIndexes shows it. */
export function describeIndex({ key, name, unique, options }: Omit<IndexSpec, 'id'>): Document {
  return { v: 2, key, name, ...(unique && name !== ID_INDEX_NAME && { unique: true }), ...options };
}
