import type { mongo } from 'mongoose';
import { isDuplicateKey } from './database-errors.ts';

/**
 * Finds a record by its id, or makes it. If several instances make it at the same time, all get the one that was first.
 * @param make returns the new record
 */
export async function findOrInsert<T extends { _id: string }>(
  collection: mongo.Collection<T>,
  id: T['_id'],
  make: () => T | Promise<T>,
): Promise<T> {
  const find = () => collection.findOne({ _id: id } as mongo.Filter<T>) as Promise<T | null>;
  const found = await find();
  if (found) {
    return found;
  }
  const made = await make();
  try {
    await collection.insertOne(made as mongo.OptionalUnlessRequiredId<T>);
    return made;
  } catch (error) {
    const other = isDuplicateKey(error, '_id') ? await find() : null;
    if (!other) {
      throw error;
    }
    return other;
  }
}
