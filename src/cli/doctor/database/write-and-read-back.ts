import { randomBytes } from 'node:crypto';
import type { LimitedConnection } from '../../../database/exchange-limit.ts';
import { AttemptStore } from '../../../stores/attempts.ts';
import { error, type Finding, ok, warning } from '../finding.ts';

/** If the doctor is killed, the database removes what it has written after this time. */
const KEPT_MILLIS = 600_000;

/** A request waits for several exchanges, 1.5 s in all. */
const SLOW_MILLIS = 200;

/**
 * Writes a document as the gateway does, reads it back, changes it and removes it. It is in the collection of attempts, which
 * removes old documents by itself.
 */
export async function writeAndReadBack(database: LimitedConnection): Promise<Finding> {
  const key = `doctor:${randomBytes(12).toString('hex')}`;
  const expire = new Date(Date.now() + KEPT_MILLIS);
  const { isKept, writeMillis } = await new AttemptStore(database).probe(key, expire);
  return isKept
    ? judgeTime(writeMillis)
    : error('The database does not return what was written.', 'Look into its log.');
}

function judgeTime(millis: number): Finding {
  const text = `A document was written, read back and removed; the write took ${Math.ceil(millis)} ms`;
  const todo = 'Look at the disk of the database, at its load, and at the network to it.';
  return millis > SLOW_MILLIS ? warning(`${text}. That is slow: logins wait for it.`, todo) : ok(`${text}.`);
}
