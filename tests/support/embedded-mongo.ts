import type * as EmbeddedMongoModule from '../../src/embedded-mongo/index.ts';

// The engine's worker exists only compiled: tests load what `npm test` has just built.
const built = new URL('../../dist/embedded-mongo/index.js', import.meta.url);
const engine = (await import(built.href)) as typeof EmbeddedMongoModule;

export const { startEmbeddedMongo, EmbeddedMongoLockedError } = engine;
