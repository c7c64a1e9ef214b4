import {
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { typeErrorText } from '../coercion-errors.ts';
import { BAD_REQUEST, withDefaults } from '../hooks/check-variables.ts';
import type { Refusal, Resolved } from '../hooks/request-stages.ts';
import { rootFieldsOf } from '../root-fields.ts';
import { LIMITS, LimitError } from '../rules/limits.ts';

/**
 * Limits the representations of all `_entities` of an operation, before any of its fields runs. The limit is for the operation,
 * not for the field: with aliases, one request could otherwise ask for many times as many.
 */
export function limitRepresentations({
  document,
  operation,
  request,
  schema,
}: Resolved): Refusal | undefined {
  if (operation?.operation !== 'query') {
    return undefined;
  }
  const input = variableOfInput(schema, operation);
  if (input) {
    return () =>
      new GraphQLError(typeErrorText(`Variable "$${input.variable.name.value}"`), {
        nodes: input,
        extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST },
      });
  }
  const variables = withDefaults(operation, request.variables ?? {});
  const lists = rootFieldsOf(document, operation)
    .filter(({ name }) => name.value === '_entities')
    .flatMap((field) => field.arguments ?? [])
    .map(({ value }) => valueFromASTUntyped(value, variables));
  const count = lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 1), 0);
  return count > LIMITS.representations ? tooManyRepresentations : undefined;
}

const tooManyRepresentations = () =>
  new LimitError(`An operation must not have more than ${LIMITS.representations} representations.`, {
    extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST },
  });

/**
 * A variable of an input type, which is refused. No field of a query takes one, but a representation in the document may contain a variable
 * of any type. graphql-js would print the whole value in each error about one of its keys: 0.15 s for 90 KB.
 */
const variableOfInput = (schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode) =>
  variableDefinitions.find(({ type }) => isInputObjectType(namedTypeOf(schema, type)));

/** The type inside lists and non-nulls. */
function namedTypeOf(
  schema: GraphQLSchema,
  node: VariableDefinitionNode['type'],
): GraphQLNamedType | undefined {
  return node.kind === Kind.NAMED_TYPE ? typeFromAST(schema, node) : namedTypeOf(schema, node.type);
}
