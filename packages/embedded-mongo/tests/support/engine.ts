import { type EmbeddedMongo, startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { type Collection, MongoClient } from 'mongodb';

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
