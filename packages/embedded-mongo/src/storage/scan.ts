import type { Database } from 'lmdb';
import { afterPrefix } from '../values/key-encoding.ts';

/** A part of the LMDB file with bytes for keys. */
export type BytesDatabase = Database<Buffer, Buffer>;

/** A half-open range of keys. */
export interface KeyRange {
  start: Buffer;
  /** Exclusive; undefined: to the end. */
  end?: Buffer | undefined;
  /** `start` is the only key that can be in the range. */
  isKey?: true;
}

/** Entries of the first chunk: enough for a look-up. */
const MIN_CHUNK = 4;
const MAX_CHUNK = 256;
const MAX_CHUNK_BYTES = 1024 * 1024;

/**
 * The entries of a range. They are read in chunks that grow: a look-up reads few, a scan many. No read transaction stays
 * open between chunks, because it would keep LMDB from using pages again.
 */
export function* scan(database: BytesDatabase, range: KeyRange, reverse = false) {
  let limit = MIN_CHUNK;
  let { start, end } = range;
  let exclusiveStart = reverse;
  for (;;) {
    const bounds = reverse
      ? { ...(end && { start: end }), end: start, inclusiveEnd: true }
      : { start, ...(end && { end }) };
    const chunk: { key: Buffer; value: Buffer }[] = [];
    let bytes = 0;
    for (const entry of database.getRange({ ...bounds, reverse, limit, exclusiveStart })) {
      chunk.push(entry);
      bytes += entry.value.length;
      if (bytes > MAX_CHUNK_BYTES) {
        break;
      }
    }
    yield* chunk;
    const last = chunk.at(-1);
    if (!last || (chunk.length < limit && bytes <= MAX_CHUNK_BYTES)) {
      return;
    }
    if (reverse) {
      end = last.key;
    } else {
      start = last.key;
    }
    exclusiveStart = true;
    limit = Math.min(limit * 4, MAX_CHUNK);
  }
}

/** The number of keys in a range. */
export function countKeys(database: BytesDatabase, { start, end }: KeyRange): number {
  return database.getKeysCount({ start, ...(end && { end }) });
}

/** Record numbers have 48 bits, ids of collections and indexes 32. */
export const RECORD_BYTES = 6;

const ID_BYTES = 4;

export function idBytes(id: number): Buffer {
  const bytes = Buffer.allocUnsafe(ID_BYTES);
  bytes.writeUInt32BE(id);
  return bytes;
}

export function recordBytes(record: number): Buffer {
  const bytes = Buffer.allocUnsafe(RECORD_BYTES);
  bytes.writeUIntBE(record, 0, RECORD_BYTES);
  return bytes;
}

/** The key of a document: the id of its collection and its record number. */
export function documentKey(id: number, record: number): Buffer {
  const bytes = Buffer.allocUnsafe(ID_BYTES + RECORD_BYTES);
  bytes.writeUInt32BE(id);
  bytes.writeUIntBE(record, ID_BYTES, RECORD_BYTES);
  return bytes;
}

/** The key of an index entry: the id of the index, the key, and the record number unless the index is unique. */
export function entryKey(id: number, key: Buffer, record?: number): Buffer {
  const end = ID_BYTES + key.length;
  const bytes = Buffer.allocUnsafe(record === undefined ? end : end + RECORD_BYTES);
  bytes.writeUInt32BE(id);
  bytes.set(key, ID_BYTES);
  if (record !== undefined) {
    bytes.writeUIntBE(record, end, RECORD_BYTES);
  }
  return bytes;
}

/** All keys of a collection or an index. */
export function idRange(id: number): KeyRange {
  const start = idBytes(id);
  return { start, end: afterPrefix(start) };
}
