import { recordResponse } from './response-record.ts';

/** A response that has been read whole. */
export interface HttpResponse {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
}

/**
 * Sends a request with the platform's own client. Tests use this and never `fetch`, so that every response is
 * watched for secrets.
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

/** Sends a JSON body; a text is taken as it is, so that it may be malformed. */
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

/** The body of a response that claims to be JSON, and is. */
export function jsonOf<T = unknown>({ headers, text }: HttpResponse): T {
  expect(headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json\b/);
  return JSON.parse(text) as T;
}

/** The headers that may differ between two responses that are otherwise the same to the byte. */
const PASSING_HEADERS = new Set(['date', 'x-request-id']);

/** A response as bytes on the wire would compare, but for the time and the request id. */
export const comparable = ({ status, headers, text }: HttpResponse) => ({
  status,
  headers: [...headers].filter(([name]) => !PASSING_HEADERS.has(name)),
  text,
});
