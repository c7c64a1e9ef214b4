import { afterPrefix } from '../values/key-encoding.ts';
import type { KeyRange } from './scan.ts';

/** Record numbers have 48 bits, ids of collections and indexes 32. */
export const RECORD_BYTES = 6;

export function idBytes(id: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(id);
  return bytes;
}

export function recordBytes(record: number): Buffer {
  const bytes = Buffer.allocUnsafe(RECORD_BYTES);
  bytes.writeUIntBE(record, 0, RECORD_BYTES);
  return bytes;
}

/** All keys of a collection or an index. */
export function idRange(id: number): KeyRange {
  const start = idBytes(id);
  return { start, end: afterPrefix(start) };
}
