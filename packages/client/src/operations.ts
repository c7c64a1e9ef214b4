import type { CallOptions } from './exchange.ts';
import type { TypedDocumentString } from './generated/graphql.ts';
import { OPERATIONS, PLAIN_OPERATIONS, type PlainOperations } from './generated/operations.ts';
import type { SessionCalls } from './session-calls.ts';

type Operations = typeof OPERATIONS;

type VariablesOf<Document> =
  Document extends TypedDocumentString<infer _Data, infer Variables> ? Variables : never;

/** The one of an operation that is known by its name only at run time. */
type AnyDocument = TypedDocumentString<object, object>;

/**
 * An operation and its variables, made field by field: the object of a program may have more fields than the operation, and the
 * gateway would refuse those.
 * @param fields has the fields of the operation's input, or its variables
 */
export function operation<Name extends keyof Operations>(
  name: Name,
  fields: object = {},
): [Operations[Name]['document'], VariablesOf<Operations[Name]['document']>] {
  const { document, hasInput, fields: names } = OPERATIONS[name];
  const known = Object.fromEntries(names.map((field) => [field, Reflect.get(fields, field)]));
  return [document, (hasInput ? { input: known } : known) as VariablesOf<Operations[Name]['document']>];
}

/** The functions of the operations that need no code of their own: they send what they are given, with the token. */
export const plainOperations = (calls: SessionCalls): PlainOperations =>
  Object.fromEntries(
    PLAIN_OPERATIONS.map((name) => {
      const run = (fields?: object, call?: CallOptions) => {
        const [document, variables] = operation(name, fields);
        return calls.withToken(document as AnyDocument, variables, call);
      };
      return [name, OPERATIONS[name].fields.length === 0 ? (call?: CallOptions) => run({}, call) : run];
    }),
  ) as unknown as PlainOperations;
