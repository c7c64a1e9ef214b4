import type { AttemptCount } from '../../src/stores/attempts.ts';
import type { TestApp } from './test-app.ts';

/**
 * Adds attempts within this hour to the counts of a limit, as if they had been made.
 * @param limit the name of its counter, which has counted at least one
 */
export async function addAttempts({ database }: TestApp, limit: string, attempts: number): Promise<void> {
  const counts = database.db.collection<AttemptCount>('attempt_counts');
  const { matchedCount } = await counts.updateMany(
    { key: new RegExp(`^${limit}:`), 'hour.points': { $gt: 0 } },
    { $inc: { 'hour.points': attempts } },
  );
  expect(matchedCount).toBeGreaterThan(0);
}
