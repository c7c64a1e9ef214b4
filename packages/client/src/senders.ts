import type { Answer } from './answer.ts';
import type { Send } from './exchange.ts';
import { multipart } from './multipart.ts';
import { hasUndici } from './platform.ts';

/** A POST request. */
export interface Request {
  endpoint: string;
  headers: Record<string, string>;
  body: string | FormData;
}

/** The progress of an upload, in bytes of the whole request: a little more than the files. */
export interface Progress {
  sentBytes: number;
  totalBytes: number;
}

/**
 * In Node.js a form is sent as a Blob. With a FormData, undici 7.20 and later (Node.js 24 and 26) throws past every handler if the
 * call is aborted or a file can no longer be read, and the process ends: https://github.com/nodejs/undici/issues/5835.
 * @param fetch the platform's function, or a compatible one
 */
export const byFetch =
  (fetch: typeof globalThis.fetch, { endpoint, headers, body }: Request): Send =>
  async (signal) => {
    const sent = typeof body !== 'string' && hasUndici() ? multipart(body) : body;
    const response = await fetch(endpoint, { method: 'POST', headers, body: sent, signal });
    const requestId = response.headers.get('x-request-id') ?? undefined;
    return { status: response.status, text: await response.text(), requestId };
  };

/** The part of XMLHttpRequest that is used here, so that the package does not need the types of browsers. */
interface UploadRequest {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: string | FormData): void;
  abort(): void;
}

const uploadRequest = (): UploadRequest | undefined => {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => UploadRequest };
  return XMLHttpRequest && new XMLHttpRequest();
};

/**
 * Sends by XMLHttpRequest, because `fetch` does not report the progress of an upload.
 * @returns undefined if the platform has no XMLHttpRequest
 */
export function byXhr(request: Request, onProgress: (progress: Progress) => void): Send | undefined {
  const xhr = uploadRequest();
  return xhr && ((signal) => sendByXhr(xhr, request, onProgress, signal));
}

const sendByXhr = (
  xhr: UploadRequest,
  { endpoint, headers, body }: Request,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    xhr.open('POST', endpoint);
    for (const [name, value] of Object.entries(headers)) {
      xhr.setRequestHeader(name, value);
    }
    xhr.upload.onprogress = ({ loaded, total }) => onProgress({ sentBytes: loaded, totalBytes: total });
    xhr.onload = () => {
      const requestId = xhr.getResponseHeader('x-request-id') ?? undefined;
      resolve({ status: xhr.status, text: xhr.responseText, requestId });
    };
    xhr.onerror = () => reject(new Error('the connection broke'));
    xhr.onabort = () => reject(new Error('aborted'));
    if (signal.aborted) {
      return reject(new Error('aborted'));
    }
    signal.addEventListener('abort', () => xhr.abort());
    xhr.send(body);
  });
