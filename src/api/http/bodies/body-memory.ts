import type { Request, Response } from 'express';
import { capacityLimits, type HeldCapacity, SharedCapacity } from '../../../system/shared-capacity.ts';
import { countedAddress } from '../request-caller.ts';
import { recordOf } from '../request-record.ts';

const MEBIBYTE = 2 ** 20;

/** The number of bodies is not limited: connections bound it, and `MAX_UPLOADS` that of uploads. */
const places = Number.POSITIVE_INFINITY;

/** An address has as much as 80 bodies of the largest size, or thousands of usual ones. */
const BODY_LIMITS = capacityLimits({ places, bytes: 64 * MEBIBYTE }, { places, bytes: 8 * MEBIBYTE });
/** Most bodies, such as logins. A connection takes more memory by itself. */
const SMALL_BODY_BYTES = 4_096;

/** An address has as much as four uploads with the most texts, or hundreds of usual ones. */
const TEXT_LIMITS = capacityLimits({ places, bytes: 32 * MEBIBYTE }, { places, bytes: 4 * MEBIBYTE });
/** The texts of usual registrations, in as many chunks as they come in. */
const SMALL_TEXT_BYTES = 16_384;

/** An honest body takes a moment, and a slow one is ended after some seconds. */
const RETRY_AFTER_SECONDS = 10;

/** What a chunk takes besides its bytes. Without it, somebody who sends single bytes would take far more than is counted. */
const CHUNK_BYTES = 512;

/** The memory of all bodies but uploads together. What counts is what has been received. */
export const createBodyMemory = (): SharedCapacity =>
  new SharedCapacity({
    name: 'bodies',
    limits: BODY_LIMITS,
    smallBytes: SMALL_BODY_BYTES,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** The memory of the texts of all uploads together. It is apart, because an upload may take minutes. */
export const createTextMemory = (): SharedCapacity =>
  new SharedCapacity({
    name: 'the texts of uploads',
    limits: TEXT_LIMITS,
    smallBytes: SMALL_TEXT_BYTES,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

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
