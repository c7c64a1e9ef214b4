import type { IncomingMessage, RequestListener } from 'node:http';
import type { Request } from 'express';
import { BadRequestError } from '../../../system/errors.ts';
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

/** A body that is being read. */
export interface BodyReading {
  /** Rejects if the sender disconnects, and with what ended the reading before. */
  ended: Promise<void>;
  /** Ends the reading. The rest of the body is dropped. */
  fail(reason: unknown): void;
}

/**
 * Reads a body to its end.
 * @param take gets each piece. An error that it throws ends the reading
 */
export function readBody(req: Request, take: (piece: Buffer) => void): BodyReading {
  let fail: BodyReading['fail'] = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    const stop = () => req.off('data', onData).off('end', onEnd).off('close', onClose);
    fail = (reason) => {
      stop();
      abandon(req);
      reject(reason);
    };
    const onData = (piece: Buffer) => {
      try {
        take(piece);
      } catch (reason) {
        fail(reason);
      }
    };
    const onEnd = () => {
      stop();
      resolve();
    };
    const onClose = () =>
      fail(new BadRequestError('Bad Request', { cause: new Error('the sender went away') }));
    askForBody(req);
    req.on('data', onData).on('end', onEnd).on('close', onClose);
    if (req.destroyed) {
      onClose();
    }
  });
  return { ended, fail };
}
