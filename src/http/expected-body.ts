import type { IncomingMessage, RequestListener } from 'node:http';
import type { Request } from 'express';

/** Requests whose sender waits for `100 Continue` before it sends the body. */
const waiting = new WeakSet<IncomingMessage>();

/**
 * Handles requests with `Expect: 100-continue` as any other, but without asking for the body: what the headers say is
 * looked at first, so that a body that would be refused need not be sent (RFC 9110 section 10.1.1). Node closes the
 * connection after an answer that came without it.
 */
export const beforeContinue =
  (handle: RequestListener): RequestListener =>
  (req, res) => {
    waiting.add(req);
    handle(req, res);
  };

/** Asks a sender that waits for it to send the body. To be called once nothing in the headers speaks against it. */
export function askForBody(req: Request): void {
  if (waiting.delete(req)) req.res?.writeContinue();
}
