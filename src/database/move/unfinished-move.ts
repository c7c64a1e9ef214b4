import type { Connection, mongo } from 'mongoose';

/** The collection is in the target while a move runs, and stays there if the move does not finish. */
const MARK = 'unfinished_move';

const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

/** Marks a database as an incomplete copy. */
export async function markUnfinished(db: mongo.Db): Promise<void> {
  const mark = { $setOnInsert: { begunAt: new Date() } };
  await db.collection<{ _id: string }>(MARK).updateOne({ _id: 'move' }, mark, { upsert: true, ...DURABLE });
}

/** Removes the mark: the copy is complete. */
export async function markFinished(db: mongo.Db): Promise<void> {
  await db.dropCollection(MARK, DURABLE);
}

/** True if a move into this database has begun and not finished. */
export const isUnfinished = async (db: mongo.Db): Promise<boolean> =>
  (await db.collection(MARK).findOne()) !== null;

/**
 * Keeps a gateway from an incomplete copy. Accounts are missing there, and what it wrote would keep the move from resuming.
 * @throws an error for the operator
 */
export async function refuseUnfinished({ db }: Connection): Promise<void> {
  if (db && (await isUnfinished(db))) {
    throw new Error(
      'it is an incomplete copy, because auth-gateway db move was interrupted. Run it again to continue.',
    );
  }
}
