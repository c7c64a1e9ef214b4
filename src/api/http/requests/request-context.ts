import type { Request } from 'express';
import type { Actor, Caller } from '../../../auth/caller.ts';
import { BadRequestError } from '../../../system/errors.ts';
import { countedAddress } from './caller-address.ts';
import { CLIENT_CLOSED_REQUEST, type RequestRecord, recordOf } from './request-record.ts';

const records = new WeakMap<Actor, RequestRecord>();

/**
 * The sender of a request. TRUST_PROXY decides by which address its attempts are counted.
 * @param bearer the access token, if it is not in the header
 */
export function callerOf(req: Request, bearer = bearerOf(req)): Caller {
  const record = recordOf(req);
  const caller: Caller = {
    channel: record.channel,
    ip: countedAddress(record.ip),
    bearer,
    requestId: record.id,
    userAgent: req.get('User-Agent'),
    timeBudget: record.timeBudget,
    // Made on demand: most requests need no signal.
    get gone() {
      return goneSignal(req);
    },
  };
  records.set(caller, record);
  return caller;
}

/** Records the account of the sender for the log. */
export function recordAccount(actor: Actor, accountId: string): void {
  const record = records.get(actor);
  if (record) {
    record.accountId = accountId;
  }
}

/** A signal that is aborted if the connection closes before the answer is sent. Only the log shows the error. */
function goneSignal({ res }: Request): AbortSignal {
  const gone = new AbortController();
  const leave = () =>
    gone.abort(new BadRequestError('Client Closed Request', { status: CLIENT_CLOSED_REQUEST }));
  if (res?.destroyed) {
    leave();
  } else {
    res?.once('close', () => res.writableFinished || leave());
  }
  return gone.signal;
}

/**
 * The access token of `Authorization: Bearer <token>` (RFC 6750 section 2.1; the scheme in any case, RFC 9110 section 11.1).
 * @returns undefined if there is no such header, or more than one: a proxy may have used the other one
 */
function bearerOf(req: Request): string | undefined {
  const [authorization = '', ...others] = req.headersDistinct.authorization ?? [];
  return others.length === 0 ? /^Bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
}
