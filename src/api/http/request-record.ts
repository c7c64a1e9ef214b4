import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { TimeBudget } from '../../auth/time-budget.ts';
import { isFromTrustedProxy } from '../../patches/trusted-proxy.ts';
import type { Clock } from '../../system/clock.ts';

/** `unavailable`: to be tried again later, a 503. `unexpected`: a defect, a 500. */
export type FailureCause = 'unavailable' | 'unexpected';

/** The known facts about a request. The log and the metrics are made from them. */
export interface RequestRecord {
  readonly id: string;
  /** The clock for all rules about the request. */
  readonly clock: Clock;
  /** `performance.now()` at its start. It is only for measurement, so it does not use the clock. */
  readonly startedAt: number;
  /** The time that the request may still wait for the database. */
  readonly timeBudget: TimeBudget;
  /** The address of the sender, by TRUST_PROXY. It is kept because a closed connection no longer has it. */
  readonly ip: string;
  /** The part of the service that answers it. */
  channel: 'rest' | 'graphql' | 'storage' | 'introspection' | 'operators' | 'other';
  /** The route, or the field of the operation: a bounded set of labels. */
  operation?: string;
  /** The sender's name for its GraphQL operation, of limited length. */
  operationName?: string;
  /** The account of the sender, once it is known. */
  accountId?: string;
  /** The service that asks, once it is authenticated. */
  service?: string;
  /** Why it could not be served as asked, if the gateway is to blame. A GraphQL answer with such an error may have status 200. */
  failure?: FailureCause;
  /** How long the request has waited for something to happen, as it had asked for. */
  waitedMillis: number;
  /** The received bytes of an upload. */
  uploadBytes: number;
  /** Its trace and span, by the names that OpenTelemetry has for them in logs; undefined without traces. */
  trace?: { trace_id: string; span_id: string };
}

/** How a request ended. */
interface RequestEnd {
  /** The status of the answer; without an answer {@link CLIENT_CLOSED_REQUEST}. */
  status: number;
  /** Without the time that the request has waited as it had asked for. */
  durationMillis: number;
  /** True if the connection ended before the answer was sent. */
  isAborted: boolean;
}

/** Called once for each request, when its answer or its connection has ended. */
export type RequestObserver = (record: RequestRecord, end: RequestEnd, req: Request) => void;

const records = new WeakMap<IncomingMessage, RequestRecord>();

const SANE_REQUEST_ID = /^[\w.-]{1,64}$/;
/** nginx's status for a caller that disconnected before the answer. */
export const CLIENT_CLOSED_REQUEST = 499;

/**
 * Begins the record of each request and sends its id to the caller: a valid id from a trusted proxy, otherwise a new one.
 * @param observers called when a request has ended
 */
export const beginRecord =
  (clock: Clock, ...observers: RequestObserver[]): RequestHandler =>
  (req, res, next) => {
    const id = proxyRequestId(req) ?? randomUUID();
    const record: RequestRecord = {
      id,
      clock,
      startedAt: performance.now(),
      timeBudget: new TimeBudget(clock),
      ip: req.ip ?? '',
      channel: 'other',
      waitedMillis: 0,
      uploadBytes: 0,
    };
    records.set(req, record);
    res.setHeader('X-Request-Id', id);
    res.once('close', () => {
      const end = endOf(record, res);
      for (const observe of observers) {
        observe(record, end, req);
      }
    });
    next();
  };

/**
 * The id that a proxy gave the request. Only proxies of TRUST_PROXY are trusted: other callers could reuse the id of another
 * request and so mislead readers of the log.
 */
function proxyRequestId(req: Request): string | undefined {
  if (!isFromTrustedProxy(req)) {
    return undefined;
  }
  const sent = req.get('X-Request-Id');
  return sent !== undefined && SANE_REQUEST_ID.test(sent) ? sent : undefined;
}

const endOf = ({ startedAt, waitedMillis }: RequestRecord, res: Response): RequestEnd => ({
  status: res.headersSent ? res.statusCode : CLIENT_CLOSED_REQUEST,
  durationMillis: performance.now() - startedAt - waitedMillis,
  isAborted: !res.writableFinished,
});

/** Records which part of the service a request is for. */
export const through =
  (channel: RequestRecord['channel']): RequestHandler =>
  (req, _res, next) => {
    recordOf(req).channel = channel;
    next();
  };

/** Records the operation of a request. */
export const operation =
  (name: string): RequestHandler =>
  (req, _res, next) => {
    recordOf(req).operation = name;
    next();
  };

/** The record that {@link beginRecord} began. */
export function recordOf(req: IncomingMessage): RequestRecord {
  const record = records.get(req);
  if (!record) {
    throw new Error('the request has no record: beginRecord comes first');
  }
  return record;
}
