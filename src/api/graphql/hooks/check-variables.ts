import { GraphQLError, type OperationDefinitionNode, valueFromASTUntyped } from 'graphql';
import { ReceivedFile } from '../../../documents/quarantine.ts';
import { type FieldErrors, ValidationError } from '../../../system/errors/errors.ts';
import type { InputValidator } from '../../inputs/input-validator.ts';
import { typeErrorText } from '../coercion-errors.ts';
import { LIMITS, LimitError } from '../rules/limits.ts';
import { type SentInput, sentInputs } from '../sent-inputs.ts';
import { coerceFields, type TypedFields } from '../typed-fields.ts';
import type { Refusal, Resolved } from './request-stages.ts';

export interface CheckParts {
  validator: InputValidator;
  /** Whether an error may name fields of the schema that the caller did not send. */
  introspection: boolean;
  /** Whether a query may have representations of entities in its variables. */
  federation: boolean;
}

export type Values = Record<string, unknown>;

/**
 * Checks the variables before graphql-js does. If a value does not fit its type, graphql-js reports each problem in a
 * separate error that prints the whole input, and our rules never run. This reports the problems of all fields at once, in
 * the same map as REST. If all values fit, our rules check them when the resolver is called.
 */
export function checkVariables(context: Resolved, parts: CheckParts): Refusal | undefined {
  const { operation, request } = context;
  const sent = request.variables ?? {};
  const isOfEntities = parts.federation && operation?.operation === 'query';
  const maxKeys = LIMITS.variableKeys + (isOfEntities ? REPRESENTATION_KEYS : 0);
  if (hasMoreKeys(sent, maxKeys)) {
    return () => tooManyKeys(maxKeys);
  }
  const variables = operation && withDefaults(operation, sent);
  const inputs = variables ? sentInputs(context, operation, variables) : [];
  const unfit = inputs.map((input) => ({ input, ...coerceFields(input) })).find(({ fits }) => !fits);
  return unfit && (() => errorAbout(unfit, parts));
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

interface InvalidInput extends TypedFields {
  input: SentInput;
}

async function errorAbout(
  { input, values, typeErrors }: InvalidInput,
  { validator, introspection }: CheckParts,
) {
  const { node, name, inputClass } = input;
  const errors = await validator.problemsOf(inputClass, values, typeErrors);
  const told = introspection ? errors : ofSentFields(errors, input);
  if (Object.keys(told).length > 0) {
    const error = new ValidationError(told);
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
