import { EJSON } from 'bson';
import {
  type Collection,
  type CommandStartedEvent,
  type CommandSucceededEvent,
  type Document,
  type MongoClient,
  MongoServerError,
} from 'mongodb';
import { expectMatch } from './unified-match.ts';

/** A file in MongoDB's unified test format, with the fields that the CRUD tests use. */
export interface SpecFile {
  description: string;
  runOnRequirements?: Requirement[];
  createEntities: Document[];
  initialData?: Document[];
  tests: SpecTest[];
}

interface Requirement {
  minServerVersion?: string;
  maxServerVersion?: string;
  topologies?: string[];
}

interface SpecTest {
  description: string;
  runOnRequirements?: Requirement[];
  operations: Document[];
  expectEvents?: { client: string; events: Document[] }[];
  outcome?: { collectionName: string; databaseName: string; documents: Document[] }[];
}

/** True if the runner knows every operation of a file. The specification also tests bulkWrite, aggregate and others. */
export function isSupported({ tests }: SpecFile): boolean {
  return tests.every(({ operations }) => operations.every(({ name }) => Object.hasOwn(OPERATIONS, name)));
}

/** True if a standalone server of a version would run a test with these requirements (any of them is enough). */
export function isRunnable(requirements: Requirement[] | undefined, version: string): boolean {
  if (!requirements) {
    return true;
  }
  return requirements.some(
    ({ minServerVersion: min, maxServerVersion: max, topologies }) =>
      (!min || compareVersions(version, min) >= 0) &&
      (!max || compareVersions(version, max) <= 0) &&
      (!topologies || topologies.includes('single')),
  );
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/**
 * Runs one test of a file against a server. Throws if an answer is not the one in the file.
 * @param client with `monitorCommands`: it stands for each client of the file
 */
export async function runSpecTest(client: MongoClient, file: SpecFile, test: SpecTest): Promise<void> {
  await prepareData(client, file.initialData ?? []);
  const collections = collectionsOf(client, file.createEntities);
  const observed = file.createEntities.flatMap((each) => each.client?.observeEvents ?? []);
  const recorded: Document[] = [];
  const onStarted = ({ command, commandName, databaseName }: CommandStartedEvent) =>
    recorded.push({ commandStartedEvent: { command: { ...command }, commandName, databaseName } });
  const onSucceeded = ({ commandName, reply }: CommandSucceededEvent) =>
    recorded.push({ commandSucceededEvent: { commandName, reply } });
  client.on('commandStarted', onStarted).on('commandSucceeded', onSucceeded);
  try {
    for (const operation of test.operations) {
      await runOperation(collections, operation);
    }
  } finally {
    client.off('commandStarted', onStarted).off('commandSucceeded', onSucceeded);
  }
  const given = recorded.filter((event) => observed.some((kind) => kind in event));
  for (const { events } of test.expectEvents ?? []) {
    expectMatch(given, events, 'events', true);
  }
  for (const { databaseName, collectionName, documents } of test.outcome ?? []) {
    const found = await client.db(databaseName).collection(collectionName).find().sort({ _id: 1 }).toArray();
    expectMatch(found, documents, 'outcome');
  }
}

async function prepareData(client: MongoClient, data: Document[]): Promise<void> {
  for (const { databaseName, collectionName, documents } of data) {
    const database = client.db(databaseName);
    await database.dropCollection(collectionName);
    if (documents.length === 0) {
      await database.createCollection(collectionName);
    } else {
      await database
        .collection(collectionName)
        .insertMany(typed(documents), { writeConcern: { w: 'majority' } });
    }
  }
}

/** The files' Extended JSON as values. */
function typed<T>(value: T): T {
  return EJSON.deserialize(value as Document) as T;
}

/** The collections of a file by their ids. */
function collectionsOf(client: MongoClient, descriptions: Document[]): Map<string, Collection> {
  const all = <T extends 'database' | 'collection'>(kind: T) =>
    descriptions.flatMap((each) => each[kind] ?? []);
  const names = new Map(all('database').map(({ id, databaseName }) => [id, databaseName]));
  return new Map(
    all('collection').map(({ id, database, collectionName, collectionOptions }) => [
      id,
      client.db(names.get(database)).collection(collectionName, collectionOptions),
    ]),
  );
}

async function runOperation(collections: Map<string, Collection>, operation: Document): Promise<void> {
  const { name, object, expectResult, expectError } = operation;
  const outcome = await attempt(async () => {
    const [run, collection] = [OPERATIONS[name], collections.get(object)];
    if (!run || !collection) {
      throw new Error(`the operation ${name} or the collection ${object} is unknown`);
    }
    return run(collection, typed(operation.arguments ?? {}));
  });
  if (expectError) {
    checkError(outcome.error, expectError);
    return;
  }
  if (outcome.error) {
    throw outcome.error;
  }
  if (expectResult !== undefined) {
    expectMatch(outcome.result, expectResult, name);
  }
}

async function attempt(run: () => Promise<unknown>): Promise<{ result?: unknown; error?: Error }> {
  try {
    return { result: await run() };
  } catch (error) {
    return { error: error as Error };
  }
}

function checkError(
  error: Error | undefined,
  { isClientError, errorContains, expectResult }: Document,
): void {
  if (!error) {
    throw new Error('the operation should have failed');
  }
  if (isClientError === true && error instanceof MongoServerError) {
    throw new Error('expected a client error');
  }
  if (isClientError === false && !(error instanceof MongoServerError)) {
    throw new Error(`expected a server error: ${error.message}`);
  }
  if (errorContains && !error.message.toLowerCase().includes(String(errorContains).toLowerCase())) {
    throw new Error(`expected an error with "${errorContains}", got "${error.message}"`);
  }
  if (expectResult) {
    expectMatch((error as Error & { result?: unknown }).result ?? {}, expectResult, 'error result');
  }
}

/** The operations of the tests: CRUD on one collection. */
const OPERATIONS: Record<string, (collection: Collection, args: Document) => Promise<unknown>> = {
  insertOne: (collection, { document, ...options }) => collection.insertOne(document, options),
  insertMany: (collection, { documents, ...options }) => collection.insertMany(documents, options),
  find: (collection, { filter, ...options }) => collection.find(filter, options).toArray(),
  findOne: (collection, { filter, ...options }) => collection.findOne(filter, options),
  updateOne: (collection, { filter, update, ...options }) => collection.updateOne(filter, update, options),
  updateMany: (collection, { filter, update, ...options }) => collection.updateMany(filter, update, options),
  replaceOne: (collection, { filter, replacement, ...options }) =>
    collection.replaceOne(filter, replacement, options),
  deleteOne: (collection, { filter, ...options }) => collection.deleteOne(filter, options),
  deleteMany: (collection, { filter, ...options }) => collection.deleteMany(filter, options),
};
