import type { DeserializeOptions, Document } from 'bson';
import { CommandError, WireError } from '../base/errors.ts';
import { MAX_BATCH_VALUES, MAX_COMMAND_VALUES } from '../base/limits.ts';
import { decode } from '../values/bson-codec.ts';
import { checkShape } from '../values/bson-shape.ts';
import type { WireRequest } from './wire-request.ts';

const OP_QUERY = 2004;
const OP_MSG = 2013;
export const HEADER_BYTES = 16;
const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;
/** The commands whose body may have a hundred thousand statements. */
const BATCHES = ['update', 'delete', 'bulkWrite'];
/** To decode so much takes some milliseconds. */
const PAUSE_BYTES = 256 * 1024;
/** Bits 0-15 must be understood by the receiver (MongoDB wire protocol, OP_MSG, flag bits). */
const UNKNOWN_REQUIRED_FLAGS = 0xffff & ~(CHECKSUM_PRESENT | MORE_TO_COME);

/** @throws WireError if the message breaks the protocol */
export function expectWire(holds: unknown, problem: string): asserts holds {
  if (!holds) {
    throw new WireError(problem);
  }
}

/**
 * Parses one whole message, with a pause after each part of a large one.
 * @throws WireError for everything but OP_MSG and the OP_QUERY handshake
 */
export function* parseSteps(message: Buffer): Generator<undefined, WireRequest> {
  const requestId = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  const legacy = opCode === OP_QUERY;
  expectWire(legacy || opCode === OP_MSG, `opcode ${opCode}`);
  const flags = legacy ? 0 : message.readUInt32LE(16);
  expectWire((flags & UNKNOWN_REQUIRED_FLAGS) === 0, `OP_MSG flags ${flags}`);
  const request = { requestId, legacy, moreToCome: (flags & MORE_TO_COME) !== 0 };
  try {
    return { ...request, command: legacy ? parseQuery(message) : yield* parseMsg(message, flags) };
  } catch (error) {
    if (error instanceof CommandError) {
      return { ...request, command: {}, refusal: error };
    }
    throw error instanceof WireError ? error : new WireError('malformed message', { cause: error });
  }
}

function* parseMsg(message: Buffer, flags: number): Generator<undefined, Document> {
  // TCP has a checksum of its own. The specification allows to ignore this one.
  const end = message.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  let command: Document | undefined;
  const sequences: Document = {};
  let offset = 20;
  while (offset < end) {
    const kind = message[offset];
    const size = message.readInt32LE(offset + 1);
    const section = message.subarray(offset + 1, offset + 1 + size);
    expectWire(size >= 5 && offset + 1 + size <= end, 'section length');
    if (kind === 0 && !command) {
      command = decodeCommand(section);
    } else {
      expectWire(kind === 1, `section kind ${kind}`);
      Object.assign(sequences, parseSequence(section));
    }
    offset += 1 + size;
  }
  expectWire(command && offset === end, 'no body section');
  const isInsert = 'insert' in command;
  for (const [name, documents] of Object.entries(sequences)) {
    expectWire(!Object.hasOwn(command, name), `section ${name} twice`);
    command[name] = isInsert ? documents : yield* decodeAll(documents);
  }
  return command;
}

function* decodeAll(documents: readonly Buffer[]): Generator<undefined, Document[]> {
  const decoded: Document[] = [];
  let bytes = 0;
  for (const document of documents) {
    decoded.push(decodeChecked(document));
    bytes += document.length;
    if (bytes >= PAUSE_BYTES) {
      bytes = 0;
      yield;
    }
  }
  return decoded;
}

function decodeChecked(
  bytes: Buffer,
  options: DeserializeOptions = {},
  maxValues = MAX_COMMAND_VALUES,
): Document {
  checkShape(bytes, maxValues);
  return decode(bytes, options);
}

function parseSequence(section: Buffer): Record<string, Buffer[]> {
  const nameEnd = section.indexOf(0, 4);
  expectWire(nameEnd >= 0, 'sequence name');
  const documents: Buffer[] = [];
  let offset = nameEnd + 1;
  while (offset < section.length) {
    const size = section.readInt32LE(offset);
    expectWire(size >= 5 && offset + size <= section.length, 'document length');
    documents.push(section.subarray(offset, offset + size));
    offset += size;
  }
  return { [section.toString('utf8', 4, nameEnd)]: documents };
}

function decodeCommand(body: Buffer): Document {
  const name = body.toString('latin1', 5, body.indexOf(0, 5));
  if (name === 'insert') {
    return decodeChecked(body, { fieldsAsRaw: { documents: true } }, Infinity);
  }
  return decodeChecked(body, {}, BATCHES.includes(name) ? MAX_BATCH_VALUES : MAX_COMMAND_VALUES);
}

function parseQuery(message: Buffer): Document {
  const nameEnd = message.indexOf(0, 20);
  expectWire(message.toString('utf8', 20, nameEnd) === 'admin.$cmd', 'OP_QUERY outside the handshake');
  const start = nameEnd + 9;
  const command = decodeChecked(message.subarray(start, start + message.readInt32LE(start)));
  return { ...(command.$query ?? command), $db: 'admin' };
}
