import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';

/** What is known of a request, filled in on its way through the service: the log and the metrics are made of it. */
export interface RequestRecord {
  readonly id: string;
  /** `performance.now()` when it began. */
  readonly startedAt: number;
  /** Where it came from, by TRUST_PROXY; kept, because a connection that has ended no longer knows. */
  readonly ip: string;
  /** Which part of the service it was for. */
  door: 'rest' | 'graphql' | 'storage' | 'other';
  /** What was asked for, in words of ours and few of them: a route, or the field of an operation. */
  operation?: string;
  /** What the sender calls its GraphQL operation: a name, of bounded length. */
  operationName?: string;
  /** Whose request it turned out to be. */
  accountId?: string;
  /** How much of an upload has come in. */
  uploadBytes: number;
}

/** How a request ended. */
export interface RequestEnd {
  /** Of the answer; where there was none, {@link CLIENT_CLOSED_REQUEST}. */
  status: number;
  durationMillis: number;
  /** Whether the connection ended before the answer was out. */
  isAborted: boolean;
}

/** Is told of every request once its connection or its answer has ended. */
export type RequestObserver = (record: RequestRecord, end: RequestEnd, req: Request) => void;

const records = new WeakMap<IncomingMessage, RequestRecord>();

const SANE_REQUEST_ID = /^[\w.-]{1,64}$/;
/** nginx's status for a caller that has gone before it was answered. */
export const CLIENT_CLOSED_REQUEST = 499;

/**
 * Begins the record of every request and sends its id to the caller: a sane id of a trusted proxy, otherwise a new one.
 * @param observers are told when it has ended, however that was
 */
export const beginRecord =
  (...observers: RequestObserver[]): RequestHandler =>
  (req, res, next) => {
    const id = proxyRequestId(req) ?? randomUUID();
    const record: RequestRecord = {
      id,
      startedAt: performance.now(),
      ip: req.ip ?? '',
      door: 'other',
      uploadBytes: 0,
    };
    records.set(req, record);
    res.setHeader('X-Request-Id', id);
    res.once('close', () => {
      const end = endOf(record, res);
      for (const observe of observers) observe(record, end, req);
    });
    next();
  };

/**
 * The id that a proxy gave the request. Only proxies of TRUST_PROXY are trusted: other callers could reuse the id of another
 * request and so mislead readers of the log.
 */
function proxyRequestId(req: Request): string | undefined {
  const isTrusted = req.app.get('trust proxy fn') as (address: string, hops: number) => boolean;
  if (!isTrusted(req.socket.remoteAddress ?? '', 0)) return undefined;
  const sent = req.get('X-Request-Id');
  return sent !== undefined && SANE_REQUEST_ID.test(sent) ? sent : undefined;
}

const endOf = ({ startedAt }: RequestRecord, res: Response): RequestEnd => ({
  status: res.headersSent ? res.statusCode : CLIENT_CLOSED_REQUEST,
  durationMillis: performance.now() - startedAt,
  isAborted: !res.writableFinished,
});

/** Notes which part of the service a request is for. */
export const through =
  (door: RequestRecord['door']): RequestHandler =>
  (req, _res, next) => {
    recordOf(req).door = door;
    next();
  };

/** Notes what a request asks for. */
export const operation =
  (name: string): RequestHandler =>
  (req, _res, next) => {
    recordOf(req).operation = name;
    next();
  };

/** The record that {@link beginRecord} began. */
export function recordOf(req: IncomingMessage): RequestRecord {
  const record = records.get(req);
  if (!record) throw new Error('the request has no record: beginRecord comes first');
  return record;
}
