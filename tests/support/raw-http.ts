import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { HttpResponse } from './http.ts';
import { recordResponse } from './response-record.ts';

/**
 * Opens a request that `fetch` would not send: with a Host of one's own, a path left as it is written, a body that
 * comes in pieces or never ends. The caller writes the body and ends it, or not.
 * @param url the server; its path is not used
 * @param options of node:http, `path` and `headers` as they go over the wire
 */
export function openRequest(url: string, options: RequestOptions): ClientRequest {
  const { hostname, port } = new URL(url);
  // A connection of its own: what happens to it concerns no other test.
  const req = request({ hostname, port, agent: false, ...options });
  // A test that aborts its request expects no answer.
  req.on('error', () => {});
  return req;
}

/** Waits for the answer to a request, which need not have been sent to its end. */
export async function answerTo(req: ClientRequest): Promise<HttpResponse> {
  // Its error has been and gone, and would be waited for in vain.
  if (req.errored) {
    throw req.errored;
  }
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  const text = await readText(res);
  const headers = new Headers();
  for (const [name, values] of Object.entries(res.headersDistinct)) {
    for (const value of values ?? []) {
      headers.append(name, value);
    }
  }
  const status = res.statusCode ?? 0;
  recordResponse({ method: req.method, path: req.path, status, headers, text });
  return { status, headers, bytes: Buffer.from(text), text };
}

/** Sends a request whose body, if any, is known. */
export function sendRaw(url: string, options: RequestOptions, body?: string | Buffer): Promise<HttpResponse> {
  const req = openRequest(url, options);
  req.end(body);
  return answerTo(req);
}
