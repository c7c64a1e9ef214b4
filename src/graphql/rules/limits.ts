import { ApolloServerValidationErrorCode } from '@apollo/server/errors';
import { GraphQLError } from 'graphql';

/**
 * How much one request may ask for (OWASP API4:2023, ASVS 5.0 item 4.3.1). No operation of
 * schema/operations and no standard introspection query uses more than half of one.
 */
export const LIMITS = {
  /**
   * Of the whole document. This one bounds the time that validation takes, fragments that refer to one another and
   * fields to be merged included: graphql-js compares fields in pairs, so that twice the tokens take four times as long.
   */
  tokens: 1000,
  /**
   * Lines of the whole document. For each place that an error names, graphql-js counts the lines before it: 0.15 s for
   * 50,000 lines and the errors below.
   */
  lines: 1000,
  /** Levels of fields below the operation. */
  depth: 10,
  aliases: 15,
  directives: 20,
  rootFields: 10,
  /** Fields and fragments, a fragment's counted again wherever it is spread. */
  recursiveSelections: 1000,
  /**
   * Keys of the variables at all levels, and items of lists. A doctor's registration has 14. graphql-js prints the whole
   * value in each error about one key.
   */
  variableKeys: 50,
  /** Errors told of one document: each may quote the same name, which may be as long as the document. */
  validationErrors: 10,
} as const;

/** An operation over one of the limits. Its text is for the caller: it has numbers, and nothing that was sent. */
export class LimitError extends GraphQLError {}

/**
 * Recognises requests over a limit, those that graphql-js and Apollo count in words of their own included.
 * @param error as Apollo hands it to plugins and formatters, in a wrapper of its own
 * @returns the text for the caller; undefined where the error is none of these
 */
export function exceededLimit(error: unknown): string | undefined {
  if (!(error instanceof GraphQLError)) return undefined;
  if (error instanceof LimitError || error.originalError instanceof LimitError) return error.message;
  if (error.message.startsWith('Syntax Error: Document contains more that '))
    return `The document must not have more than ${LIMITS.tokens} tokens.`;
  const { MAX_RECURSIVE_SELECTIONS_EXCEEDED } = ApolloServerValidationErrorCode;
  if (error.extensions.validationErrorCode === MAX_RECURSIVE_SELECTIONS_EXCEEDED)
    return `An operation must not select more than ${LIMITS.recursiveSelections} fields, with those of its fragments.`;
  return undefined;
}
