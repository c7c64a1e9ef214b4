import type { ClientRequest } from 'node:http';
import type { UploadRequest } from './api.ts';
import type { TestDocument } from './documents.ts';
import { type HttpResponse, send } from './http.ts';
import { answerTo, openRequest } from './raw-http.ts';

export const isDocument = (value: unknown): value is TestDocument =>
  typeof value === 'object' && value !== null && 'bytes' in value && 'name' in value;

/** Appends a field to a form: a document as a file, a text unchanged. `undefined` is left out. */
export function appendField(form: FormData, name: string, value: unknown): void {
  if (isDocument(value)) {
    form.append(name, new Blob([new Uint8Array(value.bytes)]), value.name);
  } else if (value !== undefined) {
    form.append(name, String(value));
  }
}

/** Sends a multipart request, also with these headers. */
export const sendForm = (
  url: string,
  { path, headers, form }: UploadRequest,
  sent: Record<string, string> = {},
): Promise<HttpResponse> =>
  send(`${url}${path}`, { method: 'POST', headers: { ...sent, ...headers }, body: form });

/** A form as bytes, with the content type that has its boundary. */
export async function encodeForm(form: FormData): Promise<{ contentType: string; body: Buffer }> {
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') ?? '';
  return { contentType, body: Buffer.from(await encoded.arrayBuffer()) };
}

/**
 * Opens a multipart request without sending its body.
 * @param withLength false sends the body in chunks of unknown number
 * @returns the request and its whole body, which the test writes
 */
export async function openForm(
  url: string,
  { path, headers, form }: UploadRequest,
  withLength = true,
): Promise<{ req: ClientRequest; body: Buffer }> {
  const { contentType, body } = await encodeForm(form);
  const length = withLength ? { 'Content-Length': body.length } : {};
  const allHeaders = { ...headers, ...length, 'Content-Type': contentType };
  return { req: openRequest(url, { method: 'POST', path, headers: allHeaders }), body };
}

/** Opens an upload, sends what comes before its files and its texts, and gives the answer. */
export async function answerBeforeFiles(url: string, request: UploadRequest): Promise<HttpResponse> {
  const { req, body } = await openForm(url, request);
  // In GraphQL the first field has the operation. The next field begins behind it.
  const map = body.indexOf('name="map"');
  if (map === -1) {
    req.flushHeaders();
  } else {
    req.write(body.subarray(0, map));
  }
  return answerTo(req).finally(() => req.destroy());
}
