import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import {
  type ASTVisitor,
  type GraphQLField,
  type GraphQLFieldMap,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { Extensions } from 'type-graphql';
import { LIMITS, LimitError } from './limits.ts';

/** The rules for every operation, beside the limits on tokens and recursive selections (graphql-api.ts). */
export const operationRules: ValidationRule[] = [
  oneSensitiveField,
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

/**
 * Makes graphql-armor report an error with our text. By default it throws during validation, which Apollo answers with 500,
 * and its text speaks of a syntax error.
 */
function refuseWith(message: string) {
  return {
    propagateOnRejection: false,
    onReject: [(context: ValidationContext | null) => context?.reportError(new LimitError(message))],
  };
}

const EXTENSION = 'isSensitive';

/** Marks fields of which an operation may have only one (`Operation.isSensitive`). */
export function markSensitive(
  fields: GraphQLFieldMap<unknown, unknown>,
  isMarked: (name: string) => boolean,
): void {
  for (const field of Object.values(fields).filter(({ name }) => isMarked(name))) {
    field.extensions = { ...field.extensions, [EXTENSION]: true };
  }
}

/** The same for a field of the operators' API. */
export const Sensitive = (): MethodDecorator => Extensions({ [EXTENSION]: true });

/** False if there is no such field. */
const isSensitive = (field: GraphQLField<unknown, unknown> | undefined): boolean =>
  field?.extensions[EXTENSION] === true;

/**
 * Allows one login, registration or change of a password in an operation: one of all mutations that are marked as {@link Sensitive}. Honest
 * clients never need two. With aliases (`a: login(…) b: login(…)`) one HTTP request would be a thousand guesses, and a proxy
 * that limits requests would count one. The throttle of the service counts each of them in any case.
 * An export and a list of doctors are the queries that are marked: each reads and answers megabytes.
 * OWASP GraphQL Cheat Sheet, "Batching Attacks"; ASVS 5.0 item 6.3.1.
 */
function oneSensitiveField(context: ValidationContext): ASTVisitor {
  const schema = context.getSchema();
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const queries = schema.getQueryType()?.getFields() ?? {};
  return {
    OperationDefinition(operation) {
      const isMutation = operation.operation === OperationTypeNode.MUTATION;
      const fields = isMutation ? mutations : queries;
      const count = countRootFields(operation, context, (name) => isSensitive(fields[name]));
      if (count <= 1) {
        return;
      }
      // Without names: a caller who may not see the schema would learn the names of the others.
      const kind = isMutation ? 'login, registration or change of a password' : 'export or list';
      const message = `An operation must not have more than one ${kind}.`;
      context.reportError(new LimitError(message, { nodes: operation }));
    },
  };
}

/**
 * Each root field reads the access token and the database, and those of a query run at the same time. One request must not do
 * the work of many. The limit on aliases does not cover this: different fields need no alias.
 */
function maxRootFields(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation) {
      if (countRootFields(operation, context, () => true) <= LIMITS.rootFields) {
        return;
      }
      const message = `An operation must not have more than ${LIMITS.rootFields} root fields.`;
      context.reportError(new LimitError(message, { nodes: operation }));
    },
  };
}

/**
 * Counts each selection of a root field: under aliases, in inline fragments, in named fragments at any depth, and behind
 * `@skip` and `@include`, whatever their condition.
 *
 * The count of each fragment is computed once and kept, because twenty fragments that each spread the next one twice stand
 * for a million fields. A fragment that spreads itself does not end the count; graphql-js rejects it later.
 * @param isCounted returns true for the name of a field that counts
 */
function countRootFields(
  { selectionSet }: OperationDefinitionNode,
  context: ValidationContext,
  isCounted: (name: string) => boolean,
): number {
  const countsByFragment = new Map<string, number>();

  const countFragment = (name: string): number => {
    const known = countsByFragment.get(name);
    if (known !== undefined) {
      return known;
    }
    countsByFragment.set(name, 0);
    const fragment = context.getFragment(name);
    const count = fragment ? countIn(fragment.selectionSet) : 0;
    countsByFragment.set(name, count);
    return count;
  };

  const countIn = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        return sum + countFragment(selection.name.value);
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        return sum + countIn(selection.selectionSet);
      }
      return sum + (isCounted(selection.name.value) ? 1 : 0);
    }, 0);

  return countIn(selectionSet);
}
