import { connect, type Socket } from 'node:net';
import type { HttpResponse } from './http.ts';
import { recordResponse } from './response-record.ts';

/** A connection for bytes that no HTTP client would send. */
export function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  // The server resets the connection of a test that sends nonsense.
  socket.on('error', () => {});
  return socket;
}

/** Reads until the server closes the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed && !socket.readableEnded) {
    // A server that closes with bytes left to read resets the connection. That is an end, too.
    await new Promise((resolve) => {
      socket.once('end', resolve).once('close', resolve);
    });
  }
  socket.destroy();
  return Buffer.concat(chunks).toString();
}

/**
 * Sends bytes unchanged and waits for the server to close the connection.
 * @returns its answer, at most one response
 */
export async function exchange(url: string, bytes: string): Promise<HttpResponse | undefined> {
  const socket = openSocket(url);
  socket.write(bytes, 'latin1');
  return parseAnswer(await readToEnd(socket));
}

/** Parses an answer; undefined if there is none. */
export function parseAnswer(answer: string): HttpResponse | undefined {
  if (answer === '') {
    return undefined;
  }
  const [head = '', ...body] = answer.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const text = body.join('\r\n\r\n');
  const status = Number(statusLine.split(' ')[1]);
  // The bytes may be no valid request, so the answer is not compared with the documentation.
  recordResponse({ method: '', path: '', status, headers, text });
  return { status, headers, bytes: Buffer.from(text), text };
}
