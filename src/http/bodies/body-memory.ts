import type { Request, Response } from 'express';
import { capacityLimits, type HeldCapacity, SharedCapacity } from '../../system/networks/shared-capacity.ts';
import { countedAddress } from '../requests/caller-address.ts';
import { recordOf } from '../requests/request-record.ts';

const MEBIBYTE = 2 ** 20;

/**
 * How much of what callers send may be in memory. An address has as much as 80 bodies of the largest size, or thousands of
 * usual ones. The number of bodies is not limited: connections bound it.
 */
const LIMITS = capacityLimits(
  { places: Number.POSITIVE_INFINITY, bytes: 96 * MEBIBYTE },
  { places: Number.POSITIVE_INFINITY, bytes: 8 * MEBIBYTE },
);

/** An honest body takes a moment, and a slow one is ended after some seconds. */
const RETRY_AFTER_SECONDS = 10;

/** What a chunk takes besides its bytes. Without it, somebody who sends single bytes would take far more than is counted. */
const CHUNK_BYTES = 512;

/** The memory of all bodies and of the texts of all uploads together. What counts is what has been received. */
export const createBodyMemory = (limits = LIMITS): SharedCapacity =>
  new SharedCapacity({ name: 'bodies', limits, retryAfterSeconds: RETRY_AFTER_SECONDS });

/** The bytes of a number of chunks in memory. */
export const memoryOf = (bytes: number, chunks: number): number => bytes + chunks * CHUNK_BYTES;

/**
 * Takes memory for what a request sends, until its answer or its connection has ended. Until then the request refers to it.
 */
export function holdMemory(memory: SharedCapacity, req: Request, res: Response): HeldCapacity {
  const held = memory.take(countedAddress(recordOf(req).ip), 0);
  res.once('close', () => held.leave());
  return held;
}
