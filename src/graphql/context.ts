import type { Request } from 'express';
import type { Caller } from '../auth/auth-service.ts';
import { bearerOf, callerOf } from '../http/request-context.ts';

/** What resolvers know of the request. */
export interface GraphqlContext {
  caller: Caller;
  /** The presented access token, not yet looked at; undefined where there is none. */
  bearer: string | undefined;
  /** For the log. */
  req: Request;
}

export const createContext = async ({ req }: { req: Request }): Promise<GraphqlContext> => ({
  caller: callerOf(req),
  bearer: bearerOf(req),
  req,
});
