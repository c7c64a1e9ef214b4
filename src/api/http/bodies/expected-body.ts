import type { IncomingMessage, RequestListener } from 'node:http';
import type { Request } from 'express';

/** Requests whose sender waits for `100 Continue` before sending the body. */
const waiting = new WeakSet<IncomingMessage>();

/**
 * Handles requests with `Expect: 100-continue` like all others, but does not ask for the body yet. The headers are checked
 * first, so that a refused body need not be sent (RFC 9110 section 10.1.1). If the answer comes without `100 Continue`,
 * Node closes the connection after it.
 */
export const beforeContinue =
  (handle: RequestListener): RequestListener =>
  (req, res) => {
    waiting.add(req);
    handle(req, res);
  };

/** Asks a waiting sender for the body. Call it after all checks of the headers. */
export function askForBody(req: Request): void {
  if (waiting.delete(req)) {
    req.res?.writeContinue();
  }
}
