import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { HttpResponse } from './http.ts';
import { recordResponse } from './response-record.ts';

/**
 * Opens a request that `fetch` would not send: with any Host, a path that is not normalized, or a body that comes in pieces
 * or never ends. The caller writes the body, and may end it.
 * @param url the server; its path is not used
 * @param options of node:http; `path` and `headers` are sent unchanged
 */
export function openRequest(url: string, options: RequestOptions): ClientRequest {
  const { hostname, port } = new URL(url);
  // A separate connection, so that its faults do not affect other tests.
  const req = request({ hostname, port, agent: false, ...options });
  // A test that aborts its request expects no answer.
  req.on('error', () => {});
  return req;
}

/** Waits for the answer to a request, which need not have been sent to its end. */
export async function answerTo(req: ClientRequest): Promise<HttpResponse> {
  // The error event is over, so to wait for it would never end.
  if (req.errored) {
    throw req.errored;
  }
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  const bytes = await buffer(res);
  const text = bytes.toString();
  const headers = new Headers();
  for (const [name, values] of Object.entries(res.headersDistinct)) {
    for (const value of values ?? []) {
      headers.append(name, value);
    }
  }
  const status = res.statusCode ?? 0;
  recordResponse({ method: req.method, path: req.path, status, headers, text });
  return { status, headers, bytes, text };
}

/** Sends a request with a known body, or without one. */
export function sendRaw(url: string, options: RequestOptions, body?: string | Buffer): Promise<HttpResponse> {
  const req = openRequest(url, options);
  req.end(body);
  return answerTo(req);
}
