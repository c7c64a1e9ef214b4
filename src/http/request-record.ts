import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';

/** What is known of a request, filled in on its way through the service: the log and the metrics are made of it. */
export interface RequestRecord {
  readonly id: string;
  /** `performance.now()` when it began. */
  readonly startedAt: number;
  /** Which part of the service it was for. */
  door: 'rest' | 'graphql' | 'storage' | 'other';
  /** What was asked for, in words of ours: a route, or the fields of an operation. */
  operation?: string;
  /** What the sender calls its GraphQL operation. */
  operationName?: string;
  /** Whose request it turned out to be. */
  accountId?: string;
  /** How much of an upload has come in. */
  uploadBytes: number;
}

/** Is told of every request once its connection or its answer has ended. */
export type RequestObserver = (record: RequestRecord, req: Request, res: Response) => void;

const records = new WeakMap<IncomingMessage, RequestRecord>();

const SANE_REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Begins the record of every request, under a proxy's id if it sent a sane one, and tells the id to the caller.
 * @param observers are told when it has ended, however that was
 */
export const beginRecord =
  (...observers: RequestObserver[]): RequestHandler =>
  (req, res, next) => {
    const sent = req.get('X-Request-Id');
    const id = sent !== undefined && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
    const record: RequestRecord = { id, startedAt: performance.now(), door: 'other', uploadBytes: 0 };
    records.set(req, record);
    res.setHeader('X-Request-Id', id);
    res.once('close', () => {
      for (const observe of observers) observe(record, req, res);
    });
    next();
  };

/** Notes which part of the service a request is for. */
export const through =
  (door: RequestRecord['door']): RequestHandler =>
  (req, _res, next) => {
    recordOf(req).door = door;
    next();
  };

/** The record that {@link beginRecord} began. */
export function recordOf(req: IncomingMessage): RequestRecord {
  const record = records.get(req);
  if (!record) throw new Error('the request has no record: beginRecord comes first');
  return record;
}
