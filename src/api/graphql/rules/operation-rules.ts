import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import type { ValidationContext, ValidationRule } from 'graphql';
import { LIMITS, LimitError } from './limits.ts';
import { maxRootFields } from './max-root-fields.ts';
import { oneSensitiveMutation } from './one-sensitive-mutation.ts';

/**
 * Makes graphql-armor report an error with our text. By default it throws during validation, which Apollo answers with 500,
 * and its text speaks of a syntax error.
 */
const refuseWith = (message: string) => ({
  propagateOnRejection: false,
  onReject: [(context: ValidationContext | null) => context?.reportError(new LimitError(message))],
});

/** The rules for every operation, beside the limits on tokens and recursive selections (graphql-api.ts). */
export const operationRules: ValidationRule[] = [
  oneSensitiveMutation,
  maxRootFields,
  maxDepthRule({
    n: LIMITS.depth,
    // A fragment is no level. Fields below `__schema` do not count: graphql-js has its own limit for them.
    flattenFragments: true,
    ...refuseWith(`An operation must not be deeper than ${LIMITS.depth} levels.`),
  }),
  maxAliasesRule({
    n: LIMITS.aliases,
    // By default `__typename` would be free, as a field and as an alias for any other.
    allowList: [],
    ...refuseWith(`An operation must not have more than ${LIMITS.aliases} aliases.`),
  }),
  maxDirectivesRule({
    n: LIMITS.directives,
    ...refuseWith(`An operation must not have more than ${LIMITS.directives} directives.`),
  }),
];
