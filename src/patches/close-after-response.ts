/*
 * Node.js 20 to 26, `node:http`: sets `shouldKeepAlive` of a response, which has a type but no documentation.
 * Reason: `server.close()` ends only idle connections, and `setHeader('Connection', 'close')` throws once the headers are sent.
 * tests/unit/patches/close-after-response.test.ts fails when Node no longer reads the field.
 */
import type { ServerResponse } from 'node:http';

/** Lets a response close its connection (RFC 9112 section 9.6). It has no effect once the headers are sent. */
export function closeAfterResponse(res: ServerResponse): void {
  res.shouldKeepAlive = false;
}
