import type { Request } from 'express';
import type { Caller } from '../../auth/caller.ts';
import { Patience } from '../../auth/patience.ts';
import { BadRequestError } from '../../errors/errors.ts';
import { countedAddress } from './caller-address.ts';
import { CLIENT_CLOSED_REQUEST, recordOf } from './request-record.ts';

/** The caller as the service counts attempts by; TRUST_PROXY decides which address that is. */
export function callerOf(req: Request): Caller {
  const record = recordOf(req);
  return {
    door: record.door,
    ip: countedAddress(record.ip),
    bearer: bearerOf(req),
    requestId: record.id,
    userAgent: req.get('User-Agent'),
    patience: new Patience(),
    identify: (accountId) => {
      record.accountId = accountId;
    },
    // Made only for those who ask: most requests do nothing that is worth leaving undone.
    get gone() {
      return goneSignal(req);
    },
  };
}

/** Aborted as soon as the connection closes before the answer is out. Nobody sees the error but nginx's kind of log. */
function goneSignal({ res }: Request): AbortSignal {
  const gone = new AbortController();
  const leave = () =>
    gone.abort(new BadRequestError('Client Closed Request', { status: CLIENT_CLOSED_REQUEST }));
  if (res?.destroyed) leave();
  else res?.once('close', () => res.writableFinished || leave());
  return gone.signal;
}

/**
 * The access token of `Authorization: Bearer <token>` (RFC 6750 section 2.1; the scheme in any case, RFC 9110 section 11.1).
 * @returns undefined when there is none, or more than one header: a proxy may have looked at the other one
 */
function bearerOf(req: Request): string | undefined {
  const [authorization = '', ...others] = req.headersDistinct.authorization ?? [];
  return others.length === 0 ? /^Bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
}
