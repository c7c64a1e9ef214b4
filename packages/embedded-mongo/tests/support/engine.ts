import { type EmbeddedMongo, startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { type Collection, MongoClient } from 'mongodb';

/** Documents of any shape. */
export type Document = { _id?: number | string; [name: string]: unknown };

interface UsedEngine {
  uri: string;
  client: MongoClient;
  collection(name: string): Collection<Document>;
}

/** An engine in memory with a client, for the tests of one file. */
export function useEngine(): UsedEngine {
  let engine: EmbeddedMongo;
  const used = {} as UsedEngine;
  beforeAll(async () => {
    engine = await startEmbeddedMongo();
    used.uri = engine.uri;
    used.client = await new MongoClient(engine.uri).connect();
    used.collection = (name) => used.client.db('test').collection<Document>(name);
  });
  afterAll(async () => {
    await used.client.close();
    await engine.stop();
  });
  return used;
}
