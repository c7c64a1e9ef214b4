import { OPERATIONS } from '../generated/operations.ts';

export type OperationName = keyof typeof OPERATIONS;

/** An operation of the client, as a browser has sent it. */
export interface ClientOperation {
  name: OperationName;
  variables: Record<string, unknown>;
  /** The body for the gateway: a text, or an upload that has not been read to its end. */
  body: string | ReadableStream<Uint8Array>;
  /** Why the rest of an upload was not read; undefined if it was, or may still be. */
  refusal(): NotOfClientError | undefined;
  contentType: string;
}

/** A request that is not the client's. */
export class NotOfClientError extends Error {
  /** @param status of the answer */
  constructor(
    readonly status: 400 | 413 | 415,
    message: string,
  ) {
    super(message);
  }
}

/** The names of the client's operations by their documents. The handler forwards no others. */
const NAMES: ReadonlyMap<unknown, OperationName> = new Map(
  Object.entries(OPERATIONS).map(([name, { document }]) => [String(document), name as OperationName]),
);

/** The gateway's own limit of a body without documents, in bytes. */
const MAX_BYTES = 102_400;

/** The gateway's own limit of small pieces (PIECE_LIMITS). Each costs time here, too. */
const PIECE_CREDIT_BYTES = 128_000;
const PIECE_COST_BYTES = 64;

/** Smaller pieces of an upload are joined. A sender who is slower than that within the gateway's time is refused there, too. */
const JOINED_BYTES = 4_096;

/**
 * Reads a request of the client. An upload is read only as far as its operation.
 * @throws NotOfClientError; the error of the stream
 */
export async function readRequest(request: Request): Promise<ClientOperation> {
  const contentType = request.headers.get('content-type') ?? '';
  const { body } = request;
  if (!body) {
    throw new NotOfClientError(400, 'The request has no body.');
  }
  const boundary = BOUNDARY.exec(contentType)?.[1];
  if (boundary !== undefined) {
    return readUpload(body, boundary, contentType);
  }
  if (!/^application\/json\b/i.test(contentType)) {
    throw new NotOfClientError(415, 'The request must be JSON or multipart/form-data.');
  }
  const pieces = new Pieces(body);
  const { bytes } = await readHead(pieces);
  const { name, query, variables } = operationIn(new TextDecoder().decode(bytes));
  const forwarded = JSON.stringify({ query, variables });
  return { name, variables, body: forwarded, contentType: 'application/json', refusal: () => pieces.refusal };
}

/** What the forms of browsers have in this header. */
const BOUNDARY = /^multipart\/form-data; *boundary="?([\w'()+,./:=?-]{1,70})"?$/i;

/** The operation is the first part of an upload: the client appends it first, and forms keep that order. */
async function readUpload(
  body: ReadableStream<Uint8Array>,
  boundary: string,
  contentType: string,
): Promise<ClientOperation> {
  const begin = `--${boundary}\r\nContent-Disposition: form-data; name="operations"\r\n\r\n`;
  const pieces = new Pieces(body);
  const { bytes, end } = await readHead(pieces, `\r\n--${boundary}`);
  if (end === undefined || !placesOf(bytes).startsWith(begin)) {
    throw new NotOfClientError(400, 'The upload does not begin with its operation.');
  }
  const { name, variables } = operationIn(new TextDecoder().decode(bytes.subarray(begin.length, end)));
  return { name, variables, body: pieces.after(bytes), contentType, refusal: () => pieces.refusal };
}

/** A text with one character for each byte, so that a place in the text is one in the bytes. */
const placesOf = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

/** The pieces in which a body comes. */
class Pieces {
  /** Why no more is read; undefined as long as more is. */
  refusal: NotOfClientError | undefined;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #creditBytes = PIECE_CREDIT_BYTES;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  /**
   * @returns undefined at the end
   * @throws NotOfClientError if there are too many small ones; the error of the stream
   */
  async next(): Promise<Uint8Array | undefined> {
    const { value } = await this.#reader.read();
    if (value) {
      this.#creditBytes = Math.min(this.#creditBytes + value.length, PIECE_CREDIT_BYTES) - PIECE_COST_BYTES;
    }
    return this.#creditBytes < 0 ? this.refuse(400, 'The request comes in too many small pieces.') : value;
  }

  /** @throws NotOfClientError always */
  refuse(...reason: ConstructorParameters<typeof NotOfClientError>): never {
    // Not at once: a body that has just ended closes a moment later, and Node.js would throw where nobody can catch it.
    setTimeout(() => this.#reader.cancel().catch(() => {}));
    this.refusal = new NotOfClientError(...reason);
    throw this.refusal;
  }

  /** What was read, and then the rest. */
  after(read: Uint8Array): ReadableStream<Uint8Array> {
    return new ReadableStream({
      start: (controller) => controller.enqueue(read),
      pull: async (controller) => {
        const pieces: Uint8Array[] = [];
        let piece: Uint8Array | undefined;
        for (let length = 0; length < JOINED_BYTES; length += piece.length) {
          piece = await this.next();
          if (!piece) {
            break;
          }
          pieces.push(piece);
        }
        if (pieces.length > 0) {
          controller.enqueue(joined(pieces));
        }
        if (!piece) {
          controller.close();
        }
      },
      cancel: (reason) => this.#reader.cancel(reason),
    });
  }
}

interface Head {
  bytes: Uint8Array;
  /** Where the mark begins; undefined if there is none. */
  end: number | undefined;
}

/**
 * Reads a body until a mark, or to its end without one. Each byte is looked at once: a body may come in pieces of one byte.
 * @throws NotOfClientError if that is more than the limit
 */
async function readHead(body: Pieces, mark = ''): Promise<Head> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // The mark may begin in one piece and end in the next.
  let tail = '';
  for (;;) {
    const piece = await body.next();
    if (!piece) {
      return { bytes: joined(pieces), end: undefined };
    }
    pieces.push(piece);
    const searched = tail + placesOf(piece);
    const at = mark === '' ? -1 : searched.indexOf(mark);
    if (at >= 0) {
      return { bytes: joined(pieces), end: length - tail.length + at };
    }
    length += piece.length;
    tail = mark === '' ? '' : searched.slice(1 - mark.length);
    if (length > MAX_BYTES) {
      body.refuse(413, 'The operation is too large.');
    }
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces[0] && pieces.length === 1) {
    return pieces[0];
  }
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** @throws NotOfClientError for any operation that is not the client's */
function operationIn(text: string): {
  name: OperationName;
  query: string;
  variables: Record<string, unknown>;
} {
  const { query, variables = {} } = parsed(text);
  const name = NAMES.get(query);
  if (name === undefined || typeof query !== 'string' || !isRecord(variables)) {
    throw new NotOfClientError(400, 'This is no operation of the client. Only those are forwarded.');
  }
  return { name, query, variables };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
