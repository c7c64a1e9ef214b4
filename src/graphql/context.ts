import type { Request } from 'express';
import type { Caller } from '../auth/caller.ts';
import { callerOf } from '../http/request-context.ts';

/** What resolvers know of the request. */
export interface GraphqlContext {
  caller: Caller;
  /** For the log. */
  req: Request;
}

export const createContext = async ({ req }: { req: Request }): Promise<GraphqlContext> => ({
  caller: callerOf(req),
  req,
});
