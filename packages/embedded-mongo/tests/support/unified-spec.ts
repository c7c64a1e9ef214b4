import { EJSON } from 'bson';
import {
  type Collection,
  type CommandStartedEvent,
  type CommandSucceededEvent,
  type Document,
  MongoClient,
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

/** Runs one test of a file against a server. Throws if an answer is not the one in the file. */
export async function runSpecTest(uri: string, file: SpecFile, test: SpecTest): Promise<void> {
  const entities = new Entities(uri);
  const own = new MongoClient(uri);
  try {
    await prepareData(own, file.initialData ?? []);
    await entities.create(file.createEntities);
    for (const operation of test.operations) {
      await runOperation(entities, operation);
    }
    for (const { client, events } of test.expectEvents ?? []) {
      expectMatch(entities.eventsOf(client), events, `events of ${client}`, true);
    }
    for (const { databaseName, collectionName, documents } of test.outcome ?? []) {
      const found = await own.db(databaseName).collection(collectionName).find().sort({ _id: 1 }).toArray();
      expectMatch(found, documents, 'outcome');
    }
  } finally {
    await Promise.all([own.close(), entities.close()]);
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

/** The clients, databases and collections of a file. */
class Entities {
  readonly #uri: string;
  readonly #clients = new Map<string, { client: MongoClient; events: Document[] }>();
  readonly #databases = new Map<string, ReturnType<MongoClient['db']>>();
  readonly #collections = new Map<string, Collection>();

  constructor(uri: string) {
    this.#uri = uri;
  }

  async create(descriptions: Document[]): Promise<void> {
    for (const { client, database, collection } of descriptions) {
      if (client) {
        await this.#createClient(client);
      }
      if (database) {
        this.#databases.set(database.id, this.#client(database.client).db(database.databaseName));
      }
      if (collection) {
        const { id, database: databaseId, collectionName, collectionOptions } = collection;
        const owner = this.#databases.get(databaseId);
        if (owner) {
          this.#collections.set(id, owner.collection(collectionName, collectionOptions));
        }
      }
    }
  }

  async #createClient({ id, observeEvents = [] }: Document): Promise<void> {
    const client = new MongoClient(this.#uri, { monitorCommands: true });
    const events: Document[] = [];
    const isOwn = ({ commandName }: { commandName: string }) =>
      !['hello', 'isMaster', 'ping', 'endSessions'].includes(commandName);
    if (observeEvents.includes('commandStartedEvent')) {
      client.on('commandStarted', (event: CommandStartedEvent) => {
        if (isOwn(event)) {
          events.push({ commandStartedEvent: structuredEvent(event) });
        }
      });
    }
    if (observeEvents.includes('commandSucceededEvent')) {
      client.on('commandSucceeded', (event: CommandSucceededEvent) => {
        if (isOwn(event)) {
          events.push({ commandSucceededEvent: { commandName: event.commandName, reply: event.reply } });
        }
      });
    }
    this.#clients.set(id, { client: await client.connect(), events });
  }

  #client(id: string): MongoClient {
    const found = this.#clients.get(id);
    if (!found) {
      throw new Error(`no client ${id}`);
    }
    return found.client;
  }

  collection(id: string): Collection {
    const found = this.#collections.get(id);
    if (!found) {
      throw new Error(`no collection ${id}`);
    }
    return found;
  }

  eventsOf(clientId: string): Document[] {
    return this.#clients.get(clientId)?.events ?? [];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(({ client }) => client.close()));
  }
}

function structuredEvent({ command, commandName, databaseName }: CommandStartedEvent): Document {
  return { command: { ...command }, commandName, databaseName };
}

async function runOperation(entities: Entities, operation: Document): Promise<void> {
  const { name, object, expectResult, expectError } = operation;
  const outcome = await attempt(() =>
    execute(entities.collection(object), name, typed(operation.arguments ?? {})),
  );
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

function execute(collection: Collection, name: string, args: Document): Promise<unknown> {
  const run = OPERATIONS[name];
  if (!run) {
    throw new Error(`the operation ${name} is unknown`);
  }
  return run(collection, args);
}
