import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';

const CONNECT_MILLIS = 1_000;
const SILENCE_MILLIS = 10_000;
/** An answer may follow interim ones (RFC 9110 section 15.2). With more of them, the server would never count as silent. */
const MAX_INTERIM_ANSWERS = 20;
/** More requests wait for a connection. */
const MAX_CONNECTIONS = 50;

/** A request as it goes out. */
interface S3HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Readable | undefined;
}

/** The server could not be reached, or the connection was lost before an answer. */
export class S3ConnectionError extends Error {
  override readonly name = 'S3ConnectionError';

  /** @param wasReused true if the connection was kept from an earlier request, so that the server may just have closed it */
  constructor(
    cause: unknown,
    readonly wasReused: boolean,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** The server has sent and read nothing for too long. */
export class S3SilenceError extends Error {}

/**
 * HTTP with connections that are kept. It uses `node:http`, because `fetch` of Node.js cannot limit the time to connect, the
 * silence of a server and the number of connections without another package.
 */
export class S3Http {
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets: MAX_CONNECTIONS }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets: MAX_CONNECTIONS }),
  };

  /**
   * Sends a request. Redirects are answers like others.
   * @returns the answer as soon as its headers are there. Its body must be read or destroyed
   * @throws S3ConnectionError, or an error of the body
   */
  send({ method, url, headers, body }: S3HttpRequest): Promise<IncomingMessage> {
    const isSecure = url.protocol === 'https:';
    const options = { method, headers, agent: isSecure ? this.#agents['https:'] : this.#agents['http:'] };
    return new Promise((resolve, reject) => {
      const request = (isSecure ? requestHttps : requestHttp)(url, options);
      let answer: IncomingMessage | undefined;
      request.once('response', (response) => {
        answer = response;
        resolve(response);
      });
      const fail = (cause: unknown) => reject(new S3ConnectionError(cause, request.reusedSocket));
      request.on('error', fail);
      // A connection that the server wants for another protocol (101) is closed without an error.
      request.once('close', () => {
        if (!answer) {
          fail(new Error('the S3 server did not answer'));
        }
      });
      let interimAnswers = 0;
      request.on('information', () => {
        interimAnswers += 1;
        if (interimAnswers > MAX_INTERIM_ANSWERS) {
          request.destroy(new Error('the S3 server sends only interim answers'));
        }
      });
      request.once('socket', (socket) => limitConnecting(socket, (error) => request.destroy(error)));
      request.setTimeout(SILENCE_MILLIS, () => {
        if (answer && answer.readableLength > 0) {
          // The reader of the answer is slow, not the server.
          request.setTimeout(SILENCE_MILLIS);
          return;
        }
        (answer ?? request).destroy(new S3SilenceError('the S3 server is silent'));
      });
      if (!body) {
        request.end();
        return;
      }
      pipeline(body, request, (error) => error && reject(error));
    });
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) {
      agent.destroy();
    }
  }
}

function limitConnecting(socket: Socket, giveUp: (error: Error) => void): void {
  if (!socket.connecting) {
    return;
  }
  const timer = setTimeout(() => giveUp(new Error('no connection in time')), CONNECT_MILLIS);
  const stop = () => clearTimeout(timer);
  socket.once('connect', stop).once('close', stop);
}

/**
 * Reads a short text.
 * @throws Error if it has more than `maxBytes`; the stream is then destroyed
 */
export async function textOf(stream: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new Error(`the answer has more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
