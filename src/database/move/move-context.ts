import type { StoredCollection } from '@auth-gateway/embedded-mongo/tools';
import type { MoveTarget } from './target.ts';

/** A step of a move that goes through the documents of all collections. */
export type MoveStep = 'Check' | 'Copy' | 'Compare';

/** The parts of one move. */
export interface Move {
  /** The collections of one database of a data folder. */
  collections: readonly StoredCollection[];
  target: MoveTarget;
  /** Called now and then with the number of documents of all collections that a step has done. */
  onProgress(step: MoveStep, done: number, total: number): void;
  /** Ends the move between two batches. */
  signal: AbortSignal;
}

/** Counts the documents that a step has done. Each call throws if the move is to end. */
export function progressOf(
  { collections, onProgress, signal }: Move,
  step: MoveStep,
): (count: number) => void {
  const total = collections.reduce((sum, collection) => sum + collection.count(), 0);
  let done = 0;
  return (count) => {
    done += count;
    onProgress(step, done, total);
    signal.throwIfAborted();
  };
}
