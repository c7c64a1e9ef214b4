import { mongo } from 'mongoose';
import type { Models } from '../stores/models.ts';

/** What a server answers if the index, or its whole collection, does not exist. */
const ABSENT_CODES: readonly unknown[] = [26, 27];

/**
 * Removes indexes that others have replaced, which serve the same queries and their order, too. The start has made the new ones
 * by then, so the release before is as quick as it was.
 * @returns no sentences
 */
export async function replacedIndexes({ tokens, erasures }: Models): Promise<string[]> {
  await tokens.collection.dropIndex('accountId_1').catch(unlessAbsent);
  await erasures.collection.dropIndex('settledAt_1').catch(unlessAbsent);
  return [];
}

function unlessAbsent(error: unknown): void {
  if (!(error instanceof mongo.MongoServerError && ABSENT_CODES.includes(error.code))) {
    throw error;
  }
}
