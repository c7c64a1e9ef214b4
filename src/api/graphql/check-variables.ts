import {
  type ArgumentNode,
  coerceInputValue,
  type FieldNode,
  type GraphQLArgument,
  GraphQLBoolean,
  GraphQLError,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLString,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';
import { ReceivedFile } from '../../documents/quarantine.ts';
import { argsClassOf, inputClassOf } from '../../patches/type-graphql.ts';
import type { BrokenRule } from '../../system/error-details.ts';
import { type FieldErrors, ValidationError } from '../../system/errors.ts';
import type { InputClass, InputValidator } from '../inputs/input-validator.ts';
import { brokenBy, texts, type Words } from '../inputs/texts.ts';
import type { MakeError, ResolvedRequest } from './context.ts';
import { BAD_REQUEST, typeErrorText } from './graphql-errors.ts';
import { LIMITS, LimitError } from './limits/limits.ts';
import { rootFieldsOf, withDefaults } from './operation.ts';

export interface CheckParts {
  validator: InputValidator;
  /** Whether an error may name fields of the schema that the caller did not send. */
  introspection: boolean;
  /** Whether a query may have representations of entities in its variables. */
  federation: boolean;
}

type Values = Record<string, unknown>;

/**
 * Checks the variables before graphql-js does. If a value does not fit its type, graphql-js reports each problem in a
 * separate error that prints the whole input, and our rules never run. This reports the problems of all fields at once, in
 * the same map as REST. If all values fit, our rules check them when the resolver is called.
 */
export function checkVariables(context: ResolvedRequest, parts: CheckParts): MakeError | undefined {
  const { operation, request } = context;
  const sent = request.variables ?? {};
  const isOfEntities = parts.federation && operation?.operation === 'query';
  const maxKeys = LIMITS.variableKeys + (isOfEntities ? REPRESENTATION_KEYS : 0);
  if (hasMoreKeys(sent, maxKeys)) {
    return () => tooManyKeys(maxKeys);
  }
  const variables = operation && withDefaults(operation, sent);
  const inputs = variables ? sentInputs(context, operation, variables) : [];
  const invalid = inputs.map((input) => ({ input, ...coerceFields(input) })).find(({ fits }) => !fits);
  return invalid && (() => errorAbout(invalid, parts));
}

/** Each representation is an item with two keys, `__typename` and `id`. */
const REPRESENTATION_KEYS = 3 * LIMITS.representations;

/** It stops at the limit, so its cost is bounded. */
function hasMoreKeys(variables: Values, limit: number): boolean {
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
      return true;
    }
    waiting.push(...children);
  }
  return false;
}

const tooManyKeys = (limit: number) =>
  new LimitError(`The variables must not have more than ${limit} keys and items.`, {
    extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST },
  });

interface InvalidInput extends TypedFields {
  input: SentInput;
}

async function errorAbout(
  { input, values, typeErrors }: InvalidInput,
  { validator, introspection }: CheckParts,
) {
  const { node, name, inputClass } = input;
  const errors = await validator.problemsOf(inputClass, values, typeErrors);
  const shown = introspection ? errors : ofSentFields(errors, input);
  if (Object.keys(shown).length > 0) {
    const error = new ValidationError(shown);
    return new GraphQLError(error.message, { nodes: node, originalError: error, extensions: BAD_REQUEST });
  }
  return new GraphQLError(typeErrorText(name), {
    nodes: node,
    extensions: { code: 'BAD_USER_INPUT', ...BAD_REQUEST },
  });
}

/** Drops the fields that were not sent or do not exist. Otherwise the answer to `{}` would list all fields. */
const ofSentFields = (errors: FieldErrors, { types, value }: SentInput): FieldErrors =>
  Object.fromEntries(
    Object.entries(errors).filter(([field]) => types.has(field) && Object.hasOwn(Object(value), field)),
  );

/** What a caller sent for an input class, before graphql-js has looked at it. */
interface SentInput {
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

/**
 * Everything that an operation sends for an input class: an argument of an input type, or all arguments of a field
 * together (`@Args`).
 * @param variables with their defaults
 */
function sentInputs(
  { document, schema }: ResolvedRequest,
  operation: OperationDefinitionNode,
  variables: Values,
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
  variables: Values,
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
  variables: Values,
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

interface TypedFields {
  /** True if everything that was sent fits the schema. */
  fits: boolean;
  /** The values that fit, as a resolver would get them, and the others as they were sent. */
  values: Values;
  /** What is wrong with each field whose value does not fit its type, or that the type does not have. */
  typeErrors: Record<string, BrokenRule>;
}

/** No other name is repeated in an answer: a caller may have sent anything in the place of a name. */
const NAME = /^\w{1,64}$/;

/** Tries the type of each field on what was sent for it. */
function coerceFields({ typeName, types, value }: SentInput): TypedFields {
  const sent = isObject(value) ? value : {};
  const values: Values = {};
  // A map, because a field may be called `__proto__`.
  const typeErrors = new Map<string, BrokenRule>();
  for (const [name, field] of types) {
    const one = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const { fits, coerced } = coerce(one, field);
    values[name] = fits ? coerced : one;
    if (!fits) {
      typeErrors.set(name, brokenBy(wordsAbout(field.type, one), { property: name, object: {} }));
    }
  }
  const unknown = Object.keys(sent).filter((name) => !types.has(name));
  for (const name of unknown.filter((name) => NAME.test(name))) {
    // The words of graphql-js, without its suggestions.
    const text = `Field "${name}" is not defined by type "${typeName}".`;
    typeErrors.set(name, { rule: 'prohibited', text });
  }
  const fits = isObject(value) && unknown.length === 0 && typeErrors.size === 0;
  return { fits, values, typeErrors: Object.fromEntries(typeErrors) };
}

/** True for an object of JSON or of a document: no upload, and no list. */
const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ReceivedFile);

function coerce(value: unknown, { type, defaultValue }: GraphQLArgument | GraphQLInputField) {
  if (value === undefined && defaultValue !== undefined) {
    return { fits: true, coerced: defaultValue };
  }
  let fits = true;
  const refuse = () => {
    fits = false;
  };
  // No text of graphql-js is shown, so it need not look for similar names.
  const coerced: unknown = coerceInputValue(value, type, refuse, true);
  return { fits, coerced };
}

/** What is wrong with a value that passes our rules, but not its type: REST takes more spellings of some values. */
const wordsAbout = (type: GraphQLInputType, value: unknown): Words =>
  value === undefined || value === null ? texts.required : wordsOf(getNullableType(type));

function wordsOf(type: GraphQLInputType): Words {
  if (isEnumType(type)) {
    return texts.selected;
  }
  return WORDS.get(type) ?? texts.format;
}

const WORDS: ReadonlyMap<GraphQLInputType, Words> = new Map<GraphQLInputType, Words>([
  [GraphQLBoolean, texts.flag],
  [GraphQLID, texts.string],
  [GraphQLInt, texts.integer],
  [GraphQLString, texts.string],
]);
