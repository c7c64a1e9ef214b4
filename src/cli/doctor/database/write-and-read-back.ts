import { randomBytes } from 'node:crypto';
import type { mongo } from 'mongoose';
import { ATTEMPT_COUNTS, type AttemptCount } from '../../../stores/attempts.ts';
import { error, type Finding, ok, warning } from '../finding.ts';
import type { Bounded } from './topology.ts';

/** If the doctor is killed, the database removes what it has written after this time. */
const KEPT_MILLIS = 600_000;

/** A request waits for several exchanges, 1.5 s in all. */
const SLOW_MILLIS = 200;

/**
 * Writes a document as the gateway does, reads it back, changes it and removes it. It is in the collection of attempts, which
 * removes old documents by itself; in an empty database in one of its own.
 */
export async function writeAndReadBack(db: mongo.Db, bounded: Bounded): Promise<Finding> {
  const isEmpty = (await bounded(db.listCollections({ name: ATTEMPT_COUNTS }).toArray())).length === 0;
  const key = `doctor:${randomBytes(12).toString('hex')}`;
  const name = isEmpty ? key.replace(':', '_') : ATTEMPT_COUNTS;
  const collection = db.collection<AttemptCount>(name);
  const startedAt = performance.now();
  try {
    await bounded(collection.insertOne({ key, expire: new Date(Date.now() + KEPT_MILLIS) }));
    const millis = performance.now() - startedAt;
    const written = await bounded(
      collection.findOneAndUpdate({ key }, { $set: { minute: { points: 1, endsMillis: 0 } } }),
    );
    const read = await bounded(collection.findOne({ key }));
    const { deletedCount } = await bounded(collection.deleteOne({ key }));
    const isKept = written?.key === key && read?.minute?.points === 1 && deletedCount === 1;
    return isKept
      ? judgeTime(millis)
      : error('The database does not return what was written.', 'Look into its log.');
  } finally {
    await bounded<unknown>(isEmpty ? collection.drop() : collection.deleteOne({ key }));
  }
}

function judgeTime(millis: number): Finding {
  const text = `A document was written, read back and removed; the write took ${Math.ceil(millis)} ms`;
  const todo = 'Look at the disk of the database, at its load, and at the network to it.';
  return millis > SLOW_MILLIS ? warning(`${text}. That is slow: logins wait for it.`, todo) : ok(`${text}.`);
}
