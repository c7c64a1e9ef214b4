import type { Document } from 'bson';
import { checkDeadline, type QueryOptions } from '../query/find-documents.ts';
import type { Collection } from '../storage/collection.ts';
import type { MatchContext } from '../values/match-context.ts';

/** The documents between two stages. `undefined` is a pause, in which other commands go first. */
type Documents = Iterable<Document | undefined>;

/** Turns the documents before a stage into those after it. */
export type Stage = (documents: Documents) => Documents;

/** What a stage may use besides the documents. */
export interface StageContext extends MatchContext {
  /** A collection of the command's database, if it exists. */
  findCollection(name: string): Collection | undefined;
  /** Milliseconds since the epoch. */
  deadline?: number | undefined;
  /** True for the stage at the beginning of a pipeline. */
  isFirstStage?: boolean;
}

/** A pipeline as a query, which indexes serve, and the stages after it. */
export interface CompiledPipeline {
  query: QueryOptions;
  runRest: Stage;
}

/** Compiles a whole pipeline. Stages that contain a pipeline of their own take it as a parameter. */
export type PipelineCompiler = (pipeline: readonly unknown[], context: StageContext) => CompiledPipeline;

/** Compiles one stage from its operand. */
export type StageCompiler = (
  operand: unknown,
  context: StageContext,
  compilePipeline: PipelineCompiler,
) => Stage;

/** Applies a function to every document and keeps the pauses. */
export function* mapDocuments<T, R>(
  items: Iterable<T | undefined>,
  map: (item: T) => R,
): Generator<R | undefined> {
  for (const item of items) {
    yield item === undefined ? undefined : map(item);
  }
}

/** In documents. */
const PAUSE_EVERY = 8;

/** Adds pauses: a stage can give many documents for one, or for none that it still reads. */
export function* withPauses(
  documents: Documents,
  { deadline }: StageContext,
): Generator<Document | undefined> {
  let sincePause = 0;
  for (const document of documents) {
    yield document;
    // Another stage's pause is one for all: were each to add its own, a thousand stages would pause for ever.
    sincePause = document === undefined ? 0 : sincePause + 1;
    if (sincePause === PAUSE_EVERY) {
      sincePause = 0;
      checkDeadline(deadline);
      yield undefined;
    }
  }
}

/** A stage that reads all documents with `add` before it gives the results. */
export function collecting(begin: () => { add(document: Document): void; results(): Documents }): Stage {
  return function* collect(documents) {
    const collector = begin();
    for (const document of documents) {
      if (document) {
        collector.add(document);
      } else {
        yield undefined;
      }
    }
    yield* collector.results();
  };
}
