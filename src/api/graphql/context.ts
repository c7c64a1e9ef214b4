import type {
  GraphQLRequestContext,
  GraphQLRequestContextDidResolveOperation,
  GraphQLRequestContextWillSendResponse,
} from '@apollo/server';
import type { Request } from 'express';
import type { GraphQLError } from 'graphql';
import type { Caller } from '../../auth/caller.ts';
import type { Admission } from '../../auth/doctor-documents.ts';
import { callerOf } from '../http/request-caller.ts';

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

/** A request whose document has not been read yet. */
export type StartedRequest = Pick<GraphQLRequestContext<GraphqlContext>, 'request' | 'contextValue'>;
/** A request whose document is valid. Without an operation, it does not name one of the document. */
export type ResolvedRequest = Pick<
  GraphQLRequestContextDidResolveOperation<GraphqlContext>,
  'request' | 'contextValue' | 'schema' | 'document' | 'operation' | 'operationName'
>;
/** A request with errors, before its answer is sent. */
export type FailedRequest = Pick<
  GraphQLRequestContextWillSendResponse<GraphqlContext>,
  'contextValue' | 'errors' | 'response'
>;

/** Makes the error of a request that must not run. */
export type MakeError = () => GraphQLError | Promise<GraphQLError>;
