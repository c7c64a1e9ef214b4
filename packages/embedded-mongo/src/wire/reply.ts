import { type Document, Long } from 'bson';
import { ByteWriter } from '../base/byte-writer.ts';
import { RawBatch } from '../base/raw-batch.ts';
import { encode } from '../values/bson-codec.ts';
import { isInt32 } from '../values/types.ts';
import type { WireRequest } from './wire-request.ts';

const OP_REPLY = 1;
const OP_MSG = 2013;
/** Most answers to commands on single documents are smaller. */
const USUAL_BYTES = 512;

/** BSON's types (bsonspec.org) of the values that are written here, without bson. */
const TYPE = { double: 1, string: 2, document: 3, array: 4, int32: 16, int64: 18 } as const;

/** The bytes of an answer to a request. */
export function writeReply(request: WireRequest, reply: Document, requestId: number): Buffer {
  const writer = new ByteWriter(USUAL_BYTES);
  const head = [0, requestId, request.requestId, request.legacy ? OP_REPLY : OP_MSG, 0];
  // OP_REPLY: the cursor's id (8 bytes), the first position, and the number of documents.
  for (const value of request.legacy ? [...head, 0, 0, 0, 1] : head) {
    writer.int32(value);
  }
  if (!request.legacy) {
    writer.byte(0);
  }
  writeDocument(writer, reply);
  writer.setInt32(writer.length, 0);
  return writer.bytes();
}

function writeDocument(writer: ByteWriter, document: Document): void {
  sized(writer, () => {
    for (const [name, value] of Object.entries(document)) {
      writeField(writer, name, value);
    }
  });
}

function writeField(writer: ByteWriter, name: string, value: unknown): void {
  if (name === 'ok') {
    begin(writer, TYPE.double, name);
    writer.double(Number(value));
  } else if (value instanceof RawBatch) {
    begin(writer, TYPE.array, name);
    sized(writer, () => {
      for (const [index, document] of value.documents.entries()) {
        begin(writer, TYPE.document, String(index));
        writer.raw(document);
      }
    });
  } else if (Buffer.isBuffer(value)) {
    begin(writer, TYPE.document, name);
    writer.raw(value);
  } else if (name === 'cursor') {
    begin(writer, TYPE.document, name);
    writeDocument(writer, value as Document);
  } else {
    writeValue(writer, name, value);
  }
}

/** The few types of almost every answer; bson has the others. */
function writeValue(writer: ByteWriter, name: string, value: unknown): void {
  if (typeof value === 'number' && isInt32(value)) {
    begin(writer, TYPE.int32, name);
    writer.int32(value);
  } else if (typeof value === 'string') {
    begin(writer, TYPE.string, name);
    const start = writer.length;
    writer.int32(0);
    writer.utf8(value);
    writer.byte(0);
    writer.setInt32(writer.length - start - 4, start);
  } else if (value instanceof Long && value._bsontype === 'Long') {
    begin(writer, TYPE.int64, name);
    writer.int32(value.low);
    writer.int32(value.high);
  } else {
    writer.raw(encode({ [name]: value }).subarray(4, -1));
  }
}

function begin(writer: ByteWriter, type: number, name: string): void {
  writer.byte(type);
  writer.utf8(name);
  writer.byte(0);
}

/** What `write` writes, with its length in front and a zero at the end. */
function sized(writer: ByteWriter, write: () => void): void {
  const start = writer.length;
  writer.int32(0);
  write();
  writer.byte(0);
  writer.setInt32(writer.length - start, start);
}
