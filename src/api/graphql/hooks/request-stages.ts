import type {
  GraphQLRequestContext,
  GraphQLRequestContextDidResolveOperation,
  GraphQLRequestContextWillSendResponse,
} from '@apollo/server';
import type { GraphQLError } from 'graphql';
import type { GraphqlContext } from '../context.ts';

/** A request whose document has not been read yet. */
export type Begun = Pick<GraphQLRequestContext<GraphqlContext>, 'request' | 'contextValue'>;
/** A request whose document is valid. Without an operation, it does not name one of the document. */
export type Resolved = Pick<
  GraphQLRequestContextDidResolveOperation<GraphqlContext>,
  'request' | 'contextValue' | 'schema' | 'document' | 'operation' | 'operationName'
>;
/** A request with errors, before its answer is sent. */
export type Failed = Pick<
  GraphQLRequestContextWillSendResponse<GraphqlContext>,
  'contextValue' | 'errors' | 'response'
>;

/** Makes the error of a request that must not run. */
export type Refusal = () => GraphQLError | Promise<GraphQLError>;
