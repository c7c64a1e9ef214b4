import type { Connection, mongo } from 'mongoose';

/**
 * The driver's database of an open connection.
 * @throws if the connection is not open: a defect
 */
export function dbOf({ db }: Connection): mongo.Db {
  if (!db) {
    throw new Error('not open');
  }
  return db;
}
