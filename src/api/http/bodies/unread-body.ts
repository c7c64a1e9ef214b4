import type { IncomingMessage, RequestListener } from 'node:http';
import type { Request } from 'express';
import { LINGER_MILLIS } from '../request-limits.ts';

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

/**
 * Reads and drops the rest of a request for a limited time. So a sender who reads the answer only after sending gets it, and
 * the next request on the connection is answered. For connections that are to be closed, see lingering-close.ts.
 */
export function abandon(req: IncomingMessage): void {
  if (req.complete || req.destroyed) {
    return;
  }
  const timer = setTimeout(() => req.destroy(), LINGER_MILLIS).unref();
  req.once('close', () => clearTimeout(timer));
  req.resume();
}
