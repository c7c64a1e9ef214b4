import { type Collection, MongoClient } from 'mongodb';
/** Documents of any shape. */
export type Document = { _id?: number | string; [name: string]: unknown };

import type * as EmbeddedMongoModule from '../../packages/embedded-mongo/src/index.ts';

// The engine's worker exists only compiled: tests load what `npm test` has just built.
const built = new URL('../../packages/embedded-mongo/dist/index.js', import.meta.url);
const engine = (await import(built.href)) as typeof EmbeddedMongoModule;

export const { startEmbeddedMongo, EmbeddedMongoLockedError } = engine;

/** An engine in memory with a client on it, for the tests of one file. */
export function useEngine(): { client: MongoClient; collection(name: string): Collection<Document> } {
  let engine: EmbeddedMongoModule.EmbeddedMongo;
  const used = {} as { client: MongoClient; collection(name: string): Collection<Document> };
  beforeAll(async () => {
    engine = await startEmbeddedMongo({ path: ':memory:' });
    used.client = await new MongoClient(engine.uri).connect();
    used.collection = (name) => used.client.db('test').collection<Document>(name);
  });
  afterAll(async () => {
    await used.client.close();
    await engine.stop();
  });
  return used;
}
