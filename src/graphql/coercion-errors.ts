import { GraphQLError } from 'graphql';

/*
 * graphql-js quotes the value in its text about one that is not of its type:
 *   Variable "$id" got invalid value ["hunter2"]; ID cannot represent value: ["hunter2"]
 * The value may be a password, and the type is part of a schema that may be hidden, so the text is made anew.
 */
const VARIABLE = /^(Variable "\$\w+") (?:of |got invalid value)/;
const ARGUMENT = /^(Argument "\w+") (?:of |has invalid value)/;
const UNKNOWN_FIELD = /^Field "\w+" is not defined by type "\w+"\./;

/** What is said of a variable or argument whose value is not of its type. */
export const misfit = (name: string): string => `${name} is missing or of the wrong type.`;

/**
 * The text for a variable that graphql-js cannot coerce, or an argument made of variables.
 * @param message graphql-js's own
 * @returns a text with neither the value nor its type; undefined for other messages
 */
export function coercionText(message: string): string | undefined {
  const name = (VARIABLE.exec(message) ?? ARGUMENT.exec(message))?.[1];
  return name && misfit(name);
}

/**
 * Whether graphql-js could not coerce an argument while it executed the operation: a variable with a default may still be
 * sent as null. Such an error has a path as if a resolver had thrown it.
 */
export function isArgumentError(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) return false;
  // graphql-js wraps its own error to give it the path.
  const { originalError: thrown = error } = error;
  return (
    thrown instanceof GraphQLError && thrown.originalError === undefined && ARGUMENT.test(thrown.message)
  );
}

/**
 * The first of graphql-js's texts that is about a field which the type does not have. The name is the caller's own.
 * @param messages what `coerceInputValue` says
 */
export const unknownField = (messages: string[]): string | undefined =>
  messages.map((message) => UNKNOWN_FIELD.exec(message)?.[0]).find((text) => text !== undefined);

/**
 * A request error's text without the literals that it quotes: a document may carry a password as well as a variable.
 * Names in it (types, fields) are graphql-js's and stay.
 * Every pattern begins where the message does, so that a long one is read once.
 */
export const withoutValues = (message: string): string =>
  message
    .replace(/^((?:Enum "\w+"|\w+) cannot represent [^:]{0,100}): [\s\S]*$/, '$1.')
    .replace(/^(Expected value of type "[^"]{0,100}"), found [\s\S]*$/, '$1.')
    .replace(/^(Syntax Error: Unexpected \w+) "[\s\S]*$/, '$1.')
    .replace(/^(Syntax Error: .{0,100}?)(?:, found| Invalid character:|: ")[\s\S]*$/, '$1.');
