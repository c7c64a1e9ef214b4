import type { Request } from 'express';
import type { Caller } from '../../auth/caller.ts';
import type { Admission } from '../../auth/doctor-documents.ts';
import { callerOf } from '../http/requests/request-context.ts';

/** The context of resolvers: one for each request. */
export interface GraphqlContext {
  caller: Caller;
  /** For the log. */
  req: Request;
  /** The admission of the registration or resubmission whose files came with the request. */
  admission: Admission | undefined;
}

const admissions = new WeakMap<Request, Admission>();

/** Keeps an admission for the resolver of the request. */
export const noteAdmission = (req: Request, admission: Admission): void =>
  void admissions.set(req, admission);

export const createContext = (req: Request): GraphqlContext => ({
  caller: callerOf(req),
  req,
  admission: admissions.get(req),
});
