import { type Document, Long } from 'bson';
import { mongoError } from '../base/errors.ts';
import { compileFilter } from '../matching/matcher.ts';
import type { Collection } from '../storage/collection.ts';
import { ID_INDEX_NAME } from '../storage/index-spec.ts';
import { equalValues } from '../values/compare.ts';
import { encode, isDocument } from '../values/values.ts';
import { RawBatch } from '../wire/wire.ts';
import {
  type CommandContext,
  type CommandDefinition,
  documentField,
  matchContextOf,
  namespaceOf,
} from './command.ts';
import { createIndexes, describeIndex } from './create-indexes.ts';

/** Options of create that would change what the collection does: refused rather than passed over. */
const CREATE_OPTIONS = [
  'capped',
  'size',
  'max',
  'validator',
  'validationLevel',
  'validationAction',
  'viewOn',
  'pipeline',
  'timeseries',
  'expireAfterSeconds',
  'clusteredIndex',
  'changeStreamPreAndPostImages',
  'encryptedFields',
  'indexOptionDefaults',
  'storageEngine',
];

/** What exists: databases, collections and indexes. */
export const CATALOG_COMMANDS: Record<string, CommandDefinition> = {
  create: { fields: ['autoIndexId', 'idIndex', 'collation', ...CREATE_OPTIONS], isWrite: true, run: create },
  drop: { fields: [], isWrite: true, run: drop },
  dropDatabase: { fields: [], isWrite: true, run: dropDatabase },
  listDatabases: { fields: ['filter', 'nameOnly', 'authorizedDatabases'], run: listDatabases },
  listCollections: {
    fields: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
    run: listCollections,
  },
  createIndexes: { fields: ['indexes', 'commitQuorum'], isWrite: true, run: createIndexes },
  listIndexes: { fields: ['cursor'], run: listIndexes },
  dropIndexes: { fields: ['index'], isWrite: true, run: dropIndexes },
};

function create(context: CommandContext): Promise<Document> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  const { command } = context;
  const refused =
    CREATE_OPTIONS.find((name) => command[name]) ?? (matchContextOf(command).collator && 'collation');
  if (refused)
    throw mongoError('NotImplemented', `create with ${refused} is not implemented by the embedded engine`);
  return store.write(() => {
    if (catalog.find(namespace))
      throw mongoError('NamespaceExists', `Collection ${namespace} already exists.`);
    catalog.ensure(namespace);
    return {};
  });
}

function drop(context: CommandContext): Promise<Document> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  return store.write(() => {
    const collection = catalog.find(namespace);
    // Since 7.0 dropping what is not there succeeds.
    if (!collection) return {};
    const nIndexesWas = collection.indexes.length;
    catalog.drop(collection);
    return { nIndexesWas, ns: namespace };
  });
}

function dropDatabase({ engine, database }: CommandContext): Promise<Document> {
  return engine.store.write(() => {
    const collections = engine.catalog.list(database);
    for (const collection of collections) engine.catalog.drop(collection);
    return collections.length > 0 ? { dropped: database } : {};
  });
}

function listDatabases({ engine, command }: CommandContext): Document {
  const test = compileFilter(documentField(command, 'filter'));
  const names = new Set(engine.catalog.list().map((collection) => collection.database));
  const databases = [...names].map((name) => ({
    name,
    sizeOnDisk: Long.fromNumber(sizeOf(engine.catalog.list(name))),
    empty: false,
  }));
  const listed = databases.filter(test);
  if (command.nameOnly) return { databases: listed.map(({ name }) => ({ name })) };
  const totalSize = listed.reduce((sum, { sizeOnDisk }) => sum.add(sizeOnDisk), Long.ZERO);
  return { databases: listed, totalSize, totalSizeMb: totalSize.div(1024 * 1024) };
}

/** All databases share one file: a database's part in it is told by its documents. */
function sizeOf(collections: readonly Collection[]): number {
  return collections.reduce((sum, collection) => sum + 4096 * (1 + collection.indexes.length), 0);
}

function listCollections({ engine, command, database }: CommandContext): Document {
  const test = compileFilter(documentField(command, 'filter'));
  const all = engine.catalog.list(database).map(({ name, options }) => ({
    name,
    type: 'collection',
    ...(!command.nameOnly && {
      options,
      info: { readOnly: false },
      idIndex: { v: 2, key: { _id: 1 }, name: ID_INDEX_NAME },
    }),
  }));
  return wholeCursor(`${database}.$cmd.listCollections`, all.filter(test));
}

function listIndexes(context: CommandContext): Document {
  const collection = existing(context, 'ns does not exist');
  return wholeCursor(
    collection.namespace,
    collection.indexes.map((index) => describeIndex(index.spec)),
  );
}

function wholeCursor(ns: string, documents: readonly Document[]): Document {
  return { cursor: { id: Long.ZERO, ns, firstBatch: new RawBatch(documents.map(encode)) } };
}

function existing(context: CommandContext, problem: string): Collection {
  const namespace = namespaceOf(context);
  const collection = context.engine.catalog.find(namespace);
  if (!collection) throw mongoError('NamespaceNotFound', `${problem}: ${namespace}`);
  return collection;
}

function dropIndexes(context: CommandContext): Promise<Document> {
  const wanted = context.command.index;
  return context.engine.store.write(() => {
    const collection = existing(context, 'ns not found');
    const nIndexesWas = collection.indexes.length;
    const doomed =
      wanted === '*'
        ? collection.indexes.filter((index) => index.spec.name !== ID_INDEX_NAME)
        : [wanted].flat().map((each) => named(collection, each));
    for (const index of doomed) collection.dropIndex(index);
    return { nIndexesWas };
  });
}

function named(collection: Collection, wanted: unknown) {
  const found = collection.indexes.find(({ spec }) =>
    isDocument(wanted) ? equalValues(spec.key, wanted) : spec.name === wanted,
  );
  if (!found) {
    const what = isDocument(wanted)
      ? `can't find index with key: ${JSON.stringify(wanted)}`
      : `index not found with name [${wanted}]`;
    throw mongoError('IndexNotFound', what);
  }
  if (found.spec.name === ID_INDEX_NAME) throw mongoError('InvalidOptions', 'cannot drop _id index');
  return found;
}
