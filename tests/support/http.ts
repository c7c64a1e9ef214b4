import { recordResponse } from './response-record.ts';

/** A complete response. */
export interface HttpResponse {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
}

/**
 * Sends a request with `fetch`. Tests use this and never `fetch` itself, so that every response is searched for secrets.
 */
export async function send(url: string, init: RequestInit = {}): Promise<HttpResponse> {
  const response = await fetch(url, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  const { status, headers } = response;
  // After a redirect, the address that has answered.
  const { pathname, search } = new URL(response.url);
  recordResponse({ method: init.method ?? 'GET', path: pathname + search, status, headers, text });
  return { status, headers, bytes, text };
}

/** Sends a JSON body. A text is sent unchanged, so that it may be malformed. */
export const sendJson = (
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<HttpResponse> =>
  send(url, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** The parsed body of a response. Checks that it is declared as JSON. */
export function jsonOf<T = unknown>({ headers, text }: HttpResponse): T {
  expect(headers.get('content-type')).toMatch(/^application\/(graphql-response\+|problem\+)?json\b/);
  return JSON.parse(text) as T;
}

/** The headers that may differ between two otherwise equal responses. */
const PASSING_HEADERS = new Set(['date', 'x-request-id']);

/** A response for a comparison byte by byte, without the time and the request id. */
export const comparable = ({ status, headers, text }: HttpResponse) => ({
  status,
  headers: [...headers].filter(([name]) => !PASSING_HEADERS.has(name)),
  text,
});
