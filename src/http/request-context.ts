import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Caller } from '../auth/auth-service.ts';

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
export const callerOf = (req: Request): Caller => ({ ip: req.ip ?? '' });

/**
 * The access token of `Authorization: Bearer <token>` (RFC 6750 section 2.1; the scheme in any case, RFC 9110 section 11.1).
 * @returns undefined when there is none, or more than one header: a proxy may have looked at the other one
 */
export function bearerOf(req: Request): string | undefined {
  const [authorization = '', ...others] = req.headersDistinct.authorization ?? [];
  return others.length === 0 ? /^Bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
}
