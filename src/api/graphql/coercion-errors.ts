import { GraphQLError } from 'graphql';

/*
 * The text of graphql-js about a value of the wrong type quotes the value:
 *   Variable "$id" got invalid value ["hunter2"]; ID cannot represent value: ["hunter2"]
 * The value may be a password, and the type is part of a schema that may be hidden, so the gateway writes its own text.
 */
const VARIABLE = /^(Variable "\$\w+") (?:of |got invalid value)/;
const ARGUMENT = /^(Argument "\w+") (?:of |has invalid value)/;

/** The text about a variable or argument whose value is of the wrong type. */
export const typeErrorText = (name: string): string => `${name} is missing or of the wrong type.`;

/**
 * The text for a variable that graphql-js cannot coerce, or for an argument that contains variables.
 * @param message of graphql-js
 * @returns a text without the value and its type; undefined for other messages
 */
export function coercionText(message: string): string | undefined {
  const name = (VARIABLE.exec(message) ?? ARGUMENT.exec(message))?.[1];
  return name && typeErrorText(name);
}

/**
 * True if graphql-js could not coerce an argument during execution: a variable with a default may still be sent as null.
 * Such an error has a path, like an error of a resolver.
 */
export function isArgumentError(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) {
    return false;
  }
  // graphql-js wraps its own error to add the path.
  const { originalError: thrown = error } = error;
  return (
    thrown instanceof GraphQLError && thrown.originalError === undefined && ARGUMENT.test(thrown.message)
  );
}

/**
 * The text of a request error without the literals that it quotes: not only a variable, but also a document may contain a
 * password. The names of types and fields stay.
 * Every pattern is anchored at the start of the message, so that a long message is read only once.
 */
export const withoutValues = (message: string): string =>
  message
    .replace(/^((?:Enum "\w+"|\w+) cannot represent [^:]{0,100}): [\s\S]*$/, '$1.')
    .replace(/^(Expected value of type "[^"]{0,100}"), found [\s\S]*$/, '$1.')
    .replace(/^(Syntax Error: Unexpected \w+) "[\s\S]*$/, '$1.')
    .replace(/^(Syntax Error: .{0,100}?)(?:, found| Invalid character:|: ")[\s\S]*$/, '$1.');
