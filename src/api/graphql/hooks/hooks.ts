import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLError } from 'graphql';
import type { Logger } from '../../../system/log.ts';
import type { GraphqlContext } from '../context.ts';
import { limitRepresentations } from '../federation/limit-representations.ts';
import { limitLists } from '../rules/limit-lists.ts';
import { type CheckParts, checkVariables } from './check-variables.ts';
import { answerErrors } from './http-status.ts';
import { logUnexpectedErrors } from './log-errors.ts';
import { recordOperation, recordSentName } from './record-operation.ts';
import type { Begun, Failed, Refusal, Resolved } from './request-stages.ts';

/**
 * What the gateway does for every GraphQL request, beside its parsing, validation and execution. Both ways of a request
 * (`../ways`) call these functions, at the same points of its life.
 */
export interface Hooks {
  /** Before its document is read, so only Apollo Server has requests at this stage. */
  begin(context: Begun): void;
  /** @returns undefined if the operation may run. It may be called twice for a request */
  check(context: Resolved): Refusal | undefined;
  /** Logs the causes of errors. */
  log(errors: readonly GraphQLError[], context: GraphqlContext): void;
  /** Sets the HTTP status of an answer with errors. */
  answer(context: Failed): void;
}

interface HookParts extends CheckParts {
  log: Logger;
}

export const createHooks = (parts: HookParts): Hooks => ({
  begin: recordSentName,
  check: (context) => {
    recordOperation(context);
    const refusal = parts.federation ? limitRepresentations(context) : undefined;
    return refusal ?? limitLists(context) ?? checkVariables(context, parts);
  },
  log: logUnexpectedErrors(parts.log),
  answer: answerErrors,
});

/** The hooks as a plugin of Apollo Server. */
export const asPlugin = (hooks: Hooks): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: async (begun) => {
    hooks.begin(begun);
    return {
      didResolveOperation: async (context) => {
        const refusal = hooks.check(context);
        if (refusal) {
          throw await refusal();
        }
      },
      didEncounterErrors: async ({ errors, contextValue }) => hooks.log(errors, contextValue),
      willSendResponse: async (context) => hooks.answer(context),
    };
  },
});
