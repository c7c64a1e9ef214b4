import type { ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql';
import type { Logger } from '../../system/log.ts';
import { logServiceError, toServiceError } from '../http/error-responses.ts';
import { recordOf } from '../http/request-record.ts';
import { type CheckParts, checkVariables } from './check-variables.ts';
import type { FailedRequest, GraphqlContext, MakeError, ResolvedRequest, StartedRequest } from './context.ts';
import { limitRepresentations } from './federation.ts';
import { isArgumentError } from './graphql-errors.ts';
import { limitLists } from './limits/answer-size.ts';
import { exceededLimit } from './limits/limits.ts';
import { isResponseJson } from './media-types.ts';
import { rootFieldsOf } from './operation.ts';

/**
 * What the gateway does for every GraphQL request, beside its parsing, validation and execution. Both paths of a request
 * (apollo-path.ts, fast-path.ts) call these functions, at the same points of its life.
 */
export interface Hooks {
  /** Before its document is read, so only Apollo Server has requests at this stage. */
  start(context: StartedRequest): void;
  /** @returns undefined if the operation may run. It may be called twice for a request */
  check(context: ResolvedRequest): MakeError | undefined;
  /** Logs the causes of errors. */
  log(errors: readonly GraphQLError[], context: GraphqlContext): void;
  /** Sets the HTTP status of a response with errors. */
  setStatus(context: FailedRequest): void;
}

interface HookParts extends CheckParts {
  log: Logger;
}

export const createHooks = (parts: HookParts): Hooks => ({
  start: recordSentName,
  check: (context) => {
    recordOperation(context);
    const refusal = parts.federation ? limitRepresentations(context) : undefined;
    return refusal ?? limitLists(context) ?? checkVariables(context, parts);
  },
  log: (errors, context) => logUnexpectedErrors(parts.log, errors, context),
  setStatus,
});

/** The hooks as a plugin of Apollo Server. */
export const asPlugin = (hooks: Hooks): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: async (started) => {
    hooks.start(started);
    return {
      didResolveOperation: async (context) => {
        const refusal = hooks.check(context);
        if (refusal) {
          throw await refusal();
        }
      },
      didEncounterErrors: async ({ errors, contextValue }) => hooks.log(errors, contextValue),
      willSendResponse: async (context) => hooks.setStatus(context),
    };
  },
});

/** Adds the name in the request to its record. An operation that cannot run has no other. */
function recordSentName({ request, contextValue }: StartedRequest): void {
  recordName(contextValue, request.operationName);
}

/** Adds the root field and the name of the operation to the record of the request. */
function recordOperation({ contextValue, document, operation, operationName }: ResolvedRequest): void {
  recordOf(contextValue.req).operation = rootFieldOf(document, operation);
  recordName(contextValue, operationName);
}

/** A GraphQL name (October 2021, section 2.1.9). */
const NAME = /^[_A-Za-z]\w*$/;
const MAX_NAME_CHARACTERS = 64;

function recordName({ req }: GraphqlContext, name: string | null | undefined): void {
  if (name && NAME.test(name)) {
    recordOf(req).operationName = name.slice(0, MAX_NAME_CHARACTERS);
  }
}

/**
 * The one root field of a valid operation, `introspection` if it has only those of graphql-js, or `several`. Combinations are
 * not listed: the number of groups in log and metrics must stay small, whatever clients send.
 */
function rootFieldOf(document: DocumentNode, operation: OperationDefinitionNode | undefined): string {
  const fields = new Set(operation && rootFieldsOf(document, operation).map(({ name }) => name.value));
  const [field, ...others] = [...fields].filter((name) => !name.startsWith('__'));
  return others.length > 0 ? 'several' : (field ?? 'introspection');
}

/**
 * Logs the cause of errors that clients see as a fixed text, in one line for each request: a thousand fields may fail for the same
 * reason. It is the first defect, or else the first other failure. `formatError` cannot do this: it has no request.
 */
function logUnexpectedErrors(log: Logger, errors: readonly GraphQLError[], { req }: GraphqlContext): void {
  const failures = errors
    .filter(isResolverError)
    .map((error) => toServiceError(unwrapResolverError(error)))
    .filter(({ status }) => status >= 500);
  const worst = failures.find(({ status }) => status !== 503) ?? failures[0];
  if (worst) {
    logServiceError(log, req, worst, failures.length);
  }
}

/** True for errors of the service. Errors about the request have no path, or graphql-js has added one. */
const isResolverError = (error: GraphQLError): boolean => error.path !== undefined && !isArgumentError(error);

/** Sets the HTTP status of a response with errors, where it differs from Apollo's. */
function setStatus(context: FailedRequest): void {
  setRequestErrorStatus(context);
  setTryLaterStatus(context);
}

/**
 * A client of `application/json` gets 200 and finds the errors of its operation in the body, as for any result (GraphQL over
 * HTTP section 6.4.1). A client of the newer type gets 400 (section 6.4.2), which is Apollo's status for both. A request that
 * is no GraphQL request gets 400 in any case. So does one over a limit, so that monitoring by status shows it.
 */
function setRequestErrorStatus({ contextValue, errors = [], response: { http } }: FailedRequest): void {
  if (http.status !== 400 || isResponseJson(contextValue.req)) {
    return;
  }
  const isRefused = errors.some(
    (error) => error.extensions.code === 'BAD_REQUEST' || exceededLimit(error) !== undefined,
  );
  if (!isRefused) {
    http.status = 200;
  }
}

/** Rejections that do not depend on the operation. Generic clients and proxies understand these statuses. */
const TRY_LATER_STATUSES = [429, 503];

/** Sets status and headers of a rejection to try again later, if the response has no data. */
function setTryLaterStatus({ errors, response: { body, http } }: FailedRequest): void {
  if (!errors || body.kind !== 'single' || body.singleResult.data) {
    return;
  }
  const refusal = errors
    .map((error) => toServiceError(unwrapResolverError(error)))
    .find(({ status }) => TRY_LATER_STATUSES.includes(status));
  if (!refusal) {
    return;
  }
  http.status = refusal.status;
  for (const [name, value] of Object.entries(refusal.headers)) {
    http.headers.set(name.toLowerCase(), value);
  }
}
