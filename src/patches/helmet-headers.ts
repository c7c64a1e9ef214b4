/*
 * helmet 8.3: runs its middleware with a recorder in place of a response, and without a request.
 * Reason: the headers are the same for every request, and helmet computes them for each with twelve functions.
 * tests/unit/patches/helmet-headers.test.ts fails when helmet needs more of a request or a response.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';

/** The headers that helmet sets with some options. */
export function helmetHeaders(options: HelmetOptions): Map<string, string> {
  const headers = new Map<string, string>();
  const recorder = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  helmet(options)({} as IncomingMessage, recorder as unknown as ServerResponse, () => {});
  return headers;
}
