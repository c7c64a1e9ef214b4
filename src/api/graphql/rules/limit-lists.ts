import type { OperationDefinitionNode } from 'graphql';
import { BAD_REQUEST, withDefaults } from '../hooks/check-variables.ts';
import type { Refusal, Resolved } from '../hooks/request-stages.ts';
import { AnswerSize, type Presented } from './answer-size.ts';
import { LIMITS, LimitError } from './limits.ts';

const MILLIONS = LIMITS.answerCharacters / 1_000_000;
const TOO_MANY_PROFILES = `An operation must not present more than ${LIMITS.profiles} profiles.`;
const TOO_LONG = `An operation must not ask for more than ${MILLIONS} million characters. Ask for fewer items, or fewer fields of each.`;

/**
 * Limits what an operation presents, before any of its fields runs: the items of each list, times what is selected of each item,
 * under aliases and through fragments. 7 KB could otherwise ask for 1,600 profiles, or for 17 MB, which are written without a break.
 */
export function limitLists(context: Resolved): Refusal | undefined {
  const { operation } = context;
  const problem = operation && problemOf(known.get(operation) ?? presentedBy(context, operation));
  return problem === undefined ? undefined : () => refusal(problem);
}

/** What operations without variables present. Clients send the same ones again and again. */
const known = new WeakMap<OperationDefinitionNode, Presented>();

function presentedBy({ schema, document, request }: Resolved, operation: OperationDefinitionNode): Presented {
  const variables = withDefaults(operation, request.variables ?? {});
  const presented = new AnswerSize(schema, document, variables).of(operation);
  const { variableDefinitions = [] } = operation;
  if (variableDefinitions.length === 0) {
    known.set(operation, presented);
  }
  return presented;
}

function problemOf({ profiles, characters }: Presented): string | undefined {
  if (profiles > LIMITS.profiles) {
    return TOO_MANY_PROFILES;
  }
  return characters > LIMITS.answerCharacters ? TOO_LONG : undefined;
}

const refusal = (message: string) =>
  new LimitError(message, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED', ...BAD_REQUEST } });
