import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Caller } from '../auth/auth-service.ts';
import { BadRequestError } from '../errors.ts';
import { countedAddress } from './caller-address.ts';

const SANE_REQUEST_ID = /^[\w.-]{1,64}$/;

/** Gives every request an id, a proxy's if it sent a sane one, and tells it to the caller. */
export const requestId: RequestHandler = (req, res, next) => {
  const sent = req.get('X-Request-Id');
  const id = sent !== undefined && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
  req.headers['x-request-id'] = id;
  res.setHeader('X-Request-Id', id);
  next();
};

/** The id that {@link requestId} gave the request. */
export const requestIdOf = (req: Request): string => req.get('X-Request-Id') ?? '';

/** The caller as the service counts attempts by; TRUST_PROXY decides which address that is. */
export const callerOf = (req: Request): Caller => ({
  ip: countedAddress(req.ip ?? ''),
  // Made only for those who ask: most requests do nothing that is worth leaving undone.
  get gone() {
    return goneSignal(req);
  },
});

/** Aborted as soon as the connection closes before the answer is out. Nobody sees the error but nginx's kind of log. */
function goneSignal({ res }: Request): AbortSignal {
  const gone = new AbortController();
  const leave = () => gone.abort(new BadRequestError('Client Closed Request', { status: 499 }));
  if (res?.destroyed) leave();
  else res?.once('close', () => res.writableFinished || leave());
  return gone.signal;
}

/**
 * The access token of `Authorization: Bearer <token>` (RFC 6750 section 2.1; the scheme in any case, RFC 9110 section 11.1).
 * @returns undefined when there is none, or more than one header: a proxy may have looked at the other one
 */
export function bearerOf(req: Request): string | undefined {
  const [authorization = '', ...others] = req.headersDistinct.authorization ?? [];
  return others.length === 0 ? /^Bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
}
