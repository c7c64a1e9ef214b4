import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import {
  type ArgumentNode,
  coerceInputValue,
  GraphQLError,
  type GraphQLInputType,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { ReceivedFile } from '../../documents/received-file.ts';
import { ValidationError } from '../../errors/errors.ts';
import type { InputClass, InputValidator } from '../../inputs/input-validator.ts';
import { misfit, unknownField } from '../coercion-errors.ts';
import type { GraphqlContext } from '../context.ts';
import { rootFieldsOf } from '../root-fields.ts';
import { LIMITS, LimitError } from '../rules/limits.ts';

interface CheckParts {
  validator: InputValidator;
  /** Whether an error may name fields of the schema that the caller did not send. */
  introspection: boolean;
  /** Whether a query may have representations of entities in its variables. */
  federation: boolean;
}

export type Values = Record<string, unknown>;

/** An argument whose value is of one of our input types. */
interface InputArgument {
  node: ArgumentNode;
  type: GraphQLInputType;
  inputClass: InputClass<object>;
}

/**
 * Checks the variables before graphql-js does. If an input does not fit its type, graphql-js reports each problem in a
 * separate error that prints the whole input, and our rules never run. This plugin reports the problems of all fields at
 * once, in the same map as REST.
 */
export const checkVariables = (parts: CheckParts): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: async () => ({
    didResolveOperation: async (context) => {
      const { operation, request } = context;
      const sent = request.variables ?? {};
      const isOfEntities = parts.federation && operation?.operation === 'query';
      refuseTooManyKeys(sent, LIMITS.variableKeys + (isOfEntities ? REPRESENTATION_KEYS : 0));
      // Queries take no input.
      if (operation?.operation !== 'mutation') {
        return;
      }
      const variables = withDefaults(operation, sent);
      for (const argument of inputArguments(context, operation)) {
        await checkInput(argument, valueFromASTUntyped(argument.node.value, variables), parts);
      }
    },
  }),
});

/** Each representation is an item with two keys, `__typename` and `id`. */
const REPRESENTATION_KEYS = 3 * LIMITS.representations;

/** @throws LimitError. It stops at the limit, so its cost is bounded */
function refuseTooManyKeys(variables: Values, limit: number): void {
  const waiting: unknown[] = [variables];
  let keys = 0;
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null || value instanceof ReceivedFile) {
      continue;
    }
    const children = Object.values(value);
    keys += children.length;
    if (keys > limit) {
      const message = `The variables must not have more than ${limit} keys and items.`;
      throw new LimitError(message, { extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST } });
    }
    waiting.push(...children);
  }
}

/** Sets the HTTP status. Apollo reads it and removes it from the answer. */
export const BAD_REQUEST = { http: { status: 400 } } as const;

/** The value that was sent for each variable, or its default. */
export function withDefaults({ variableDefinitions = [] }: OperationDefinitionNode, sent: Values): Values {
  const values = variableDefinitions.map(({ variable, defaultValue }) => {
    const name = variable.name.value;
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    return [name, value === undefined && defaultValue ? valueFromASTUntyped(defaultValue) : value] as const;
  });
  return Object.fromEntries(values);
}

function inputArguments(
  { document, schema }: GraphQLRequestContextDidResolveOperation<GraphqlContext>,
  operation: OperationDefinitionNode,
): InputArgument[] {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  return rootFieldsOf(document, operation).flatMap((field) =>
    (field.arguments ?? []).flatMap((node) => {
      const { args = [] } = mutations[field.name.value] ?? {};
      const type = args.find(({ name }) => name === node.name.value)?.type;
      const inputClass = type && inputClassOf(type);
      return inputClass ? [{ node, type, inputClass }] : [];
    }),
  );
}

/** The class that an input type was made from, if it was made from one. */
function inputClassOf(type: GraphQLInputType): InputClass<object> | undefined {
  const { name } = getNamedType(type);
  const inputType = getMetadataStorage().inputTypes.find((candidate) => candidate.name === name);
  return inputType?.target as InputClass<object> | undefined;
}

/** @throws GraphQLError if the value does not fit its type */
async function checkInput(
  { node, type, inputClass }: InputArgument,
  value: unknown,
  { validator, introspection }: CheckParts,
): Promise<void> {
  const problems: string[] = [];
  coerceInputValue(value, type, (_path, _value, { message }) => problems.push(message));
  // If the value fits, our rules check it when the resolver is called.
  if (problems.length === 0) {
    return;
  }
  const broken = await brokenRules(validator, inputClass, value);
  const told = introspection ? broken : ofSentFields(broken, value);
  if (told) {
    throw new GraphQLError(told.message, { nodes: node, originalError: told, extensions: BAD_REQUEST });
  }
  const { value: source } = node;
  const name =
    source.kind === Kind.VARIABLE ? `Variable "$${source.name.value}"` : `Argument "${node.name.value}"`;
  const message = (introspection ? unknownField(problems) : undefined) ?? misfit(name);
  throw new GraphQLError(message, { nodes: node, extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST } });
}

async function brokenRules(
  validator: InputValidator,
  inputClass: InputClass<object>,
  value: unknown,
): Promise<ValidationError | undefined> {
  try {
    await validator.read(inputClass, value, (field) => field);
    return undefined;
  } catch (error) {
    if (error instanceof ValidationError) {
      return error;
    }
    throw error;
  }
}

/** Drops the fields that were not sent. Otherwise the answer to `{}` would list all fields. */
function ofSentFields(broken: ValidationError | undefined, value: unknown): ValidationError | undefined {
  const sent = Object.entries(broken?.errors ?? {}).filter(([field]) => Object.hasOwn(Object(value), field));
  return sent.length === 0 ? undefined : new ValidationError(Object.fromEntries(sent));
}
