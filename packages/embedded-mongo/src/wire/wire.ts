import { MAX_MESSAGE_BYTES } from '../base/limits.ts';
import { expectWire, HEADER_BYTES, parseSteps } from './parse-steps.ts';
import type { WireRequest } from './wire-request.ts';

export { writeReply } from './reply.ts';

/**
 * Takes whole messages out of a stream of chunks. It joins the chunks only when a message is complete: to join each one
 * would take quadratic time for a message of 48 MB.
 */
export class MessageReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #wanted = HEADER_BYTES;

  /** Adds a chunk and gives the messages that it completes. Throws WireError for an impossible length. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes >= this.#wanted) {
      const joined = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
      this.#chunks = [joined];
      const length = joined.readInt32LE(0);
      expectWire(length >= HEADER_BYTES && length <= MAX_MESSAGE_BYTES, `message length ${length}`);
      this.#wanted = length;
      if (joined.length < length) {
        return;
      }
      this.#chunks = joined.length > length ? [joined.subarray(length)] : [];
      this.#bytes -= length;
      this.#wanted = HEADER_BYTES;
      yield joined.subarray(0, length);
    }
  }
}

/** Parses one whole message. Throws WireError for everything but OP_MSG and the OP_QUERY handshake. */
export function parseMessage(message: Buffer): WireRequest {
  const steps = parseSteps(message);
  for (;;) {
    const { value, done } = steps.next();
    if (done) {
      return value;
    }
  }
}
