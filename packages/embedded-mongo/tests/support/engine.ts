import { type EmbeddedMongo, startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import {
  type Collection,
  MongoBulkWriteError,
  MongoClient,
  MongoNetworkError,
  MongoServerSelectionError,
} from 'mongodb';

/** Documents of any shape. */
export type Document = { _id?: number | string; [name: string]: unknown };

interface UsedEngine {
  uri: string;
  client: MongoClient;
  collection(name: string): Collection<Document>;
}

/** An engine in memory with a client, for the tests of one file. With a URI, the server there instead of the engine. */
export function useEngine(uri?: string): UsedEngine {
  let engine: EmbeddedMongo | undefined;
  const used = {} as UsedEngine;
  beforeAll(async () => {
    if (!uri) {
      engine = await startEmbeddedMongo();
    }
    used.uri = uri ?? (engine as EmbeddedMongo).uri;
    used.client = await new MongoClient(used.uri).connect();
    used.collection = (name) => used.client.db('test').collection<Document>(name);
  });
  afterAll(async () => {
    await used.client.close();
    await engine?.stop();
  });
  return used;
}

/** True if the server has closed the connection, or cannot be reached. */
const isLostConnection = (error: unknown): boolean =>
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  // The driver wraps the loss of a connection in an error of its writes, which then has no code of a server.
  (error instanceof MongoBulkWriteError && error.code === undefined);

/**
 * Runs a case on a server that it may kill: MongoDB 5.0.7 dies of `$unwind` with an `includeArrayIndex` above the array. Then the
 * cases after it get a new connection, when the server is there again.
 * @param used gets the client of the new connection
 * @param waitMillis how long to wait for the server. If it stays away, the cases after it fail at once
 * @throws Error with the name of the case
 */
export async function surviving<T>(
  used: Pick<UsedEngine, 'uri' | 'client'> & { killedBy?: string },
  name: string,
  run: () => Promise<T>,
  waitMillis = 60_000,
): Promise<T> {
  if (used.killedBy !== undefined) {
    throw new Error(`the server has not come back since the case "${used.killedBy}"`);
  }
  try {
    return await run();
  } catch (error) {
    if (!isLostConnection(error)) {
      throw error;
    }
    await used.client.close();
    used.client = new MongoClient(used.uri, { serverSelectionTimeoutMS: waitMillis });
    used.killedBy = name;
    await used.client
      .connect()
      .then(() => delete used.killedBy)
      .catch(() => {});
    throw new Error(`the server has closed the connection at the case "${name}"`, { cause: error });
  }
}
