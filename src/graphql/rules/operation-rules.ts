import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import type { ValidationContext, ValidationRule } from 'graphql';
import { LIMITS, LimitError } from './limits.ts';
import { maxRootFields } from './max-root-fields.ts';
import { oneSensitiveMutation } from './one-sensitive-mutation.ts';

/**
 * How graphql-armor is to refuse. By itself it throws out of the validation, which Apollo answers with 500, and it
 * speaks of a syntax error.
 */
const refuseWith = (message: string) => ({
  propagateOnRejection: false,
  onReject: [(context: ValidationContext | null) => context?.reportError(new LimitError(message))],
});

/** What every operation is measured by, beside the tokens and the recursive selections (graphql-door.ts). */
export const operationRules: ValidationRule[] = [
  oneSensitiveMutation,
  maxRootFields,
  maxDepthRule({
    n: LIMITS.depth,
    // A fragment is no level. What stands below `__schema` is not counted: graphql-js has its own limit for that.
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
