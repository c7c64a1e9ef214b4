import type { GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLInputField,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import type { InputClass } from '../inputs/input-validator.ts';
import type { GraphqlContext } from './context.ts';
import { rootFieldsOf } from './root-fields.ts';

/** What a caller sent for an input class, before graphql-js has looked at it. */
export interface SentInput {
  inputClass: InputClass<object>;
  /** Its place in the document. */
  node: ArgumentNode | FieldNode;
  /** What a text calls it that may not name its fields. */
  name: string;
  /** The type in the schema that its fields belong to. */
  typeName: string;
  /** The fields or arguments that it has in the schema. */
  types: ReadonlyMap<string, GraphQLArgument | GraphQLInputField>;
  /** Any value. The fields of a value that is no object are all missing. */
  value: unknown;
}

type Variables = Record<string, unknown>;

/**
 * Everything that an operation sends for one of our input classes: an argument of an input type, or all arguments of a field
 * together (`@Args`).
 * @param variables with their defaults
 */
export function sentInputs(
  { document, schema }: Pick<GraphQLRequestContextDidResolveOperation<GraphqlContext>, 'document' | 'schema'>,
  operation: OperationDefinitionNode,
  variables: Variables,
): SentInput[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  return rootFieldsOf(document, operation).flatMap((node) => {
    const args = fields[node.name.value]?.args ?? [];
    const argsClass = args.length === 0 ? undefined : argsClassOf(node.name.value);
    return argsClass
      ? [ofAllArguments(node, argsClass, args, variables)]
      : ofInputArguments(node, args, variables);
  });
}

function ofAllArguments(
  node: FieldNode,
  inputClass: InputClass<object>,
  args: readonly GraphQLArgument[],
  variables: Variables,
): SentInput {
  const sent = (node.arguments ?? []).map(
    ({ name, value }) => [name.value, valueFromASTUntyped(value, variables)] as const,
  );
  const types = new Map(args.map((arg) => [arg.name, arg]));
  const name = `Field "${node.name.value}"`;
  return { inputClass, node, name, typeName: name, types, value: Object.fromEntries(sent) };
}

function ofInputArguments(
  field: FieldNode,
  args: readonly GraphQLArgument[],
  variables: Variables,
): SentInput[] {
  return (field.arguments ?? []).flatMap((node) => {
    const type = args.find(({ name }) => name === node.name.value)?.type;
    const named = getNamedType(type);
    const inputClass = named && inputClassOf(named.name);
    const value: unknown = valueFromASTUntyped(node.value, variables);
    const isLeftOut = !isNonNullType(type) && (value === undefined || value === null);
    if (!inputClass || !isInputObjectType(named) || isLeftOut) {
      return [];
    }
    const types = new Map(Object.entries(named.getFields()));
    return [{ inputClass, node, name: nameOf(node), typeName: named.name, types, value }];
  });
}

const nameOf = ({ name, value }: ArgumentNode): string =>
  value.kind === Kind.VARIABLE ? `Variable "$${value.name.value}"` : `Argument "${name.value}"`;

/** The class that an input type was made from, if it was made from one. */
function inputClassOf(typeName: string): InputClass<object> | undefined {
  const inputType = getMetadataStorage().inputTypes.find(({ name }) => name === typeName);
  return inputType?.target as InputClass<object> | undefined;
}

/** The class that takes all arguments of a root field, if there is one. */
function argsClassOf(field: string): InputClass<object> | undefined {
  const { mutations, queries } = getMetadataStorage();
  const resolver = [...mutations, ...queries].find(({ schemaName }) => schemaName === field);
  const param = resolver?.params?.find(({ kind }) => kind === 'args');
  return param?.kind === 'args' ? (param.getType() as InputClass<object>) : undefined;
}
