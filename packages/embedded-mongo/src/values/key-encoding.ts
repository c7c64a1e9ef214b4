import { createHash } from 'node:crypto';
import { Binary, BSON, BSONRegExp, Code, ObjectId, Timestamp } from 'bson';
import { ByteWriter } from '../base/byte-writer.ts';
import { outerName } from './names.ts';
import { type BsonNumber, splitNumber } from './numbers.ts';
import { ORDER, orderOf } from './types.ts';

/**
 * A value as bytes. Their order under memcmp is MongoDB's comparison order, and they are equal exactly if the values are
 * equal for MongoDB: 1, 1.0 and NumberLong(1) give the same bytes. No encoding is the beginning of another one. So the
 * key of several fields is their bytes joined, and a descending field has its bytes inverted. lmdb's own key encoding
 * does not fit: it knows neither BSON's types nor their order.
 */
export function encodeKey(value: unknown): Buffer {
  const writer = new KeyWriter(64);
  writer.value(value);
  return writer.bytes();
}

/** LMDB takes keys up to 1978 bytes. Longer keys keep a prefix for the order and a hash for identity. */
const MAX_KEY_BYTES = 1900;

const HASH_BYTES = 32;

/** One key of an index, from a value and a direction (1 or -1) for each field. `exact` is false if it was shortened. */
export function encodeIndexKey(values: readonly unknown[], directions: readonly number[]) {
  const parts = values.map((value, i) => directed(encodeKey(value), directions[i] ?? 1));
  const key = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  if (key.length <= MAX_KEY_BYTES) {
    return { key, exact: true };
  }
  const hash = createHash('sha256').update(key).digest();
  return { key: Buffer.concat([key.subarray(0, MAX_KEY_BYTES - HASH_BYTES), hash]), exact: false };
}

/** The bytes of one field of a key, inverted if the field is descending. */
export function directed(bytes: Buffer, direction: number): Buffer {
  return direction < 0 ? Buffer.from(bytes.map((byte) => ~byte)) : bytes;
}

/** The longest beginning of an index key that is never shortened, for the bounds of a scan. */
export function boundOf(bytes: Buffer): Buffer {
  return bytes.length <= MAX_KEY_BYTES - HASH_BYTES ? bytes : bytes.subarray(0, MAX_KEY_BYTES - HASH_BYTES);
}

/** The first key after all keys that begin with these bytes; undefined if there is none. */
export function afterPrefix(bytes: Buffer): Buffer | undefined {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0xff) {
    end--;
  }
  if (end === 0) {
    return undefined;
  }
  const after = Buffer.from(bytes.subarray(0, end));
  after[end - 1] = (after[end - 1] as number) + 1;
  return after;
}

class KeyWriter extends ByteWriter {
  value(value: unknown): void {
    const order = orderOf(value);
    this.byte(order);
    WRITERS[order]?.(this, value as never);
  }

  /** NaN is one value, below every other number. 0 and -0 are one value. A negative number is its magnitude, inverted. */
  number(value: BsonNumber): void {
    if (Number.isNaN(Number(value))) {
      this.raw(Buffer.alloc(9));
      return;
    }
    const { negative, floor, fraction } = splitNumber(value);
    const bytes = Buffer.alloc(fraction === undefined ? 9 : 9 + 16);
    bytes.writeDoubleBE(floor, 0);
    if (fraction !== undefined) {
      bytes[8] = 1;
      bytes.writeBigUInt64BE(fraction >> 64n, 9);
      bytes.writeBigUInt64BE(fraction & 0xffffffffffffffffn, 17);
    }
    bytes[0] = (bytes[0] as number) | 0x80;
    this.raw(negative ? directed(bytes, -1) : bytes);
  }

  /** UTF-8 with 00 written as 00 FF, and 00 00 at the end: "a" sorts before "a\0", and both before "ab". */
  text(text: string): void {
    if (text.includes('\0')) {
      const bytes = Buffer.from(text).toString('latin1');
      this.raw(Buffer.from(bytes.replaceAll('\0', '\0\xff'), 'latin1'));
    } else {
      this.utf8(text);
    }
    this.byte(0);
    this.byte(0);
  }

  /** Shorter first, then subtype, then content (MongoDB's manual, BinData). */
  binary(value: Binary | Uint8Array): void {
    const isBinary = '_bsontype' in value;
    const content = isBinary ? (value as Binary).value() : (value as Uint8Array);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(content.length, 0);
    head[4] = isBinary ? (value as Binary).sub_type : 0;
    this.raw(head);
    this.raw(content);
  }

  array(items: unknown[]): void {
    for (const item of items) {
      this.value(item);
    }
    this.byte(0);
  }

  /** Field by field: type of the value, then name, then value. */
  object(document: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(document)) {
      this.byte(orderOf(value));
      this.raw(Buffer.from(`${outerName(name)}\0`));
      this.value(value);
    }
    this.byte(0);
  }

  regex(value: BSONRegExp | RegExp): void {
    this.text(value instanceof BSONRegExp ? value.pattern : value.source);
    this.text(value instanceof BSONRegExp ? value.options : value.flags);
  }

  code(value: Code): void {
    this.text(value.code);
    if (value.scope) {
      this.raw(BSON.serialize(value.scope));
    }
  }
}

/** By the position in the order of types. A type with only one value needs no more than its position. */
const WRITERS: Record<number, (writer: KeyWriter, value: never) => void> = {
  [ORDER.number]: (writer, value: BsonNumber) => writer.number(value),
  [ORDER.string]: (writer, value: string) => writer.text(String(value)),
  [ORDER.bool]: (writer, value: boolean) => writer.byte(value ? 1 : 0),
  [ORDER.date]: (writer, value: Date) =>
    writer.raw(bigEndian(BigInt.asUintN(64, BigInt(value.getTime()) + (1n << 63n)))),
  [ORDER.timestamp]: (writer, value: Timestamp) => writer.raw(bigEndian(value.toBigInt())),
  [ORDER.objectId]: (writer, value: ObjectId) => writer.raw(value.id),
  [ORDER.binary]: (writer, value: Binary | Uint8Array) => writer.binary(value),
  [ORDER.array]: (writer, value: unknown[]) => writer.array(value),
  [ORDER.object]: (writer, value: Record<string, unknown>) => writer.object(value),
  [ORDER.regex]: (writer, value: BSONRegExp | RegExp) => writer.regex(value),
  [ORDER.code]: (writer, value: Code) => writer.code(value),
  [ORDER.codeWithScope]: (writer, value: Code) => writer.code(value),
};

function bigEndian(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
