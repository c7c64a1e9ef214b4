import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { isDocument } from '../../values/types.ts';

/** Refuses transactions and retryable writes: those need a replica set. */
export function checkSession({ lsid, txnNumber, startTransaction, autocommit }: Document): void {
  if (txnNumber === undefined && startTransaction === undefined && autocommit === undefined) {
    return;
  }
  if (!isDocument(lsid)) {
    throw mongoError('InvalidOptions', 'Transaction number requires a session ID to also be specified');
  }
  throw mongoError('IllegalOperation', 'Transaction numbers are only allowed on a replica set');
}

/**
 * Checks the write concern. True if the write must be on disk before it is acknowledged: with `j: true`, or with
 * `w: "majority"`, which implies it.
 */
export function requiresFlush({ writeConcern }: Document): boolean {
  if (writeConcern === undefined) {
    return false;
  }
  const { w = 1, j = false, fsync = false } = isDocument(writeConcern) ? writeConcern : {};
  if ((typeof w === 'string' && w !== 'majority') || Number(w) > 1) {
    throw mongoError('BadValue', `cannot use 'w' ${w} when a host is not a member of a replica set`);
  }
  return w === 'majority' || Boolean(j) || Boolean(fsync);
}

/** Refuses the read concerns of replica sets. The others make no difference here. */
export function checkReadConcern({ readConcern }: Document): void {
  const level = isDocument(readConcern) ? (readConcern.level ?? 'local') : 'local';
  if (['local', 'available', 'majority'].includes(level)) {
    return;
  }
  if (level === 'linearizable' || level === 'snapshot') {
    throw mongoError('NotAReplicaSet', `readConcern ${level} needs a replica set`);
  }
  throw mongoError('FailedToParse', `Enumeration value '${level}' of readConcern.level is not valid`);
}
