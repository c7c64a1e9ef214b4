import { OPERATIONS } from '../generated/operations.ts';

export type OperationName = keyof typeof OPERATIONS;

/** An operation of the client, as a browser has sent it. */
export interface ClientOperation {
  name: OperationName;
  variables: Record<string, unknown>;
  /** The body for the gateway: a text, or an upload that has not been read to its end. */
  body: string | ReadableStream<Uint8Array>;
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
  const { bytes } = await readHead(body);
  const { name, query, variables } = operationIn(new TextDecoder().decode(bytes));
  return { name, variables, body: JSON.stringify({ query, variables }), contentType: 'application/json' };
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
  const { bytes, end, whole } = await readHead(body, `\r\n--${boundary}`);
  if (end === undefined || !placesOf(bytes).startsWith(begin)) {
    throw new NotOfClientError(400, 'The upload does not begin with its operation.');
  }
  const { name, variables } = operationIn(new TextDecoder().decode(bytes.subarray(begin.length, end)));
  return { name, variables, body: whole(), contentType };
}

/** A text with one character for each byte, so that a place in the text is one in the bytes. */
const placesOf = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

interface Head {
  bytes: Uint8Array;
  /** Where the mark begins; undefined if there is none. */
  end: number | undefined;
  /** The whole body again. */
  whole(): ReadableStream<Uint8Array>;
}

/**
 * Reads a body until a mark, or to its end without one. Each byte is looked at once: a body may come in pieces of one byte.
 * @throws NotOfClientError if that is more than the limit
 */
async function readHead(body: ReadableStream<Uint8Array>, mark = ''): Promise<Head> {
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  // The mark may begin in one piece and end in the next.
  let tail = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return headOf(pieces, undefined, reader);
    }
    pieces.push(value);
    const searched = tail + placesOf(value);
    const at = mark === '' ? -1 : searched.indexOf(mark);
    if (at >= 0) {
      return headOf(pieces, length - tail.length + at, reader);
    }
    length += value.length;
    tail = mark === '' ? '' : searched.slice(1 - mark.length);
    if (length > MAX_BYTES) {
      // Not at once: a body that has just ended closes a moment later, and Node.js would throw where nobody can catch it.
      setTimeout(() => reader.cancel().catch(() => {}));
      throw new NotOfClientError(413, 'The operation is too large.');
    }
  }
}

function headOf(
  pieces: readonly Uint8Array[],
  end: number | undefined,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Head {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return { bytes, end, whole: () => wholeOf(bytes, reader) };
}

/** What was read, and then the rest. */
const wholeOf = (
  bytes: Uint8Array,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => controller.enqueue(bytes),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });

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
