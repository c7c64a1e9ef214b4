import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { STATUS_CODES } from '../../patches/node-http.ts';
import { BadRequestError } from '../../system/errors.ts';
import { strictTransportSecurity } from './browsers.ts';

/** The codes of Node's parser. Every other code is a bad request. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Answers input that Node cannot parse as a request: a broken request line, or headers that are too large, contradict each
 * other or do not end. The answer is JSON like every other refusal. Then it closes the connection, because the start of the
 * next request is unknown (RFC 9112 sections 2.2, 6.3).
 * @param responseOn finds the response that is being sent on a connection
 * @param baseUrl BASE_URL, for Strict-Transport-Security
 * @returns refuses a request in the middle of its body. In place of another response or after the start of its own, the connection
 *   only closes. The sender has some seconds to read the answer (lingering-close.ts)
 */
export function answerMalformedRequests(
  server: Server,
  responseOn: (socket: Duplex) => ServerResponse | undefined,
  baseUrl: string | undefined,
): (res: ServerResponse) => void {
  const hsts = strictTransportSecurity(baseUrl);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Bytes behind a request that ends the connection: its response is the last, and Node closes after it (section 9.6).
    if (error.code === 'HPE_CLOSED_CONNECTION') {
      return;
    }
    const response = responseOn(socket);
    const isResponding = response?.headersSent === true && !response.writableFinished;
    // In the middle of another response, a second one would be read as part of it.
    if (!socket.writable || isResponding || error.code === 'ECONNRESET') {
      return void socket.destroy();
    }
    socket.end(rawResponse(STATUSES[error.code ?? ''] ?? 400, hsts), () => socket.destroy());
  });
  return (res) => {
    const { socket } = res.req;
    if (socket.writable && !res.headersSent && responseOn(socket) === res) {
      socket.write(rawResponse(400, hsts));
    }
    socket.destroySoon();
  };
}

/**
 * Refuses an HTTP/1.1 request without a Host, or with two (RFC 9112 section 3.2): a proxy in front may have used the other
 * one. Node alone would refuse only the first case, and not in JSON.
 */
export const requireHost: RequestHandler = (req, _res, next) => {
  if (req.httpVersion === '1.1' && req.headersDistinct.host?.length !== 1) {
    throw new BadRequestError('Bad Request', { headers: { Connection: 'close' } });
  }
  next();
};

function rawResponse(status: number, hsts: string | undefined): string {
  const reason = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({ message: reason });
  return [
    `HTTP/1.1 ${status} ${reason}`,
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Cache-Control: no-store',
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options: nosniff',
    ...(hsts === undefined ? [] : [`Strict-Transport-Security: ${hsts}`]),
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
