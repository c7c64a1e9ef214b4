import { ApolloServerValidationErrorCode } from '@apollo/server/errors';
import { GraphQLError } from 'graphql';

/**
 * The limits of one request (OWASP API4:2023, ASVS 5.0 item 4.3.1). No operation of schema/operations and no standard
 * introspection query uses more than half of a limit, but for the characters of lists.
 */
export const LIMITS = {
  /**
   * Of the whole document. Together with the length of names it bounds the time of validation, also for fragments that refer to one
   * another and for fields that must be merged: graphql-js compares fields in pairs, so twice the tokens take four times as long.
   */
  tokens: 1000,
  /**
   * Lines of the whole document. For each place that an error names, graphql-js counts the lines before it: 0.15 s for
   * 50,000 lines and the errors below.
   */
  lines: 1000,
  /** Of each name in the document. No name of the schema has 40. */
  nameCharacters: 255,
  /** Levels of fields below the operation. */
  depth: 10,
  aliases: 15,
  directives: 20,
  rootFields: 10,
  /** Fields and fragments. Those of a fragment count again for each spread. */
  recursiveSelections: 1000,
  /**
   * Keys of the variables at all levels, and items of lists. A doctor's registration has 14. graphql-js prints the whole
   * value in each error about one key.
   */
  variableKeys: 50,
  /** Entities that a router asks for in one operation. One query reads them all. */
  representations: 100,
  /** Profiles that an operation presents: items of its lists, times the profiles that it selects of each. */
  profiles: 200,
  /**
   * Characters that the answer of an operation may have, computed from the lengths that its fields may have (answer-size.ts). A list with all
   * its fields comes close to it. JSON of that length is made in about 25 ms, without a break.
   */
  answerCharacters: 5_000_000,
  /** Errors in the answer about one document. Each may quote a name or a text of it. */
  validationErrors: 10,
} as const;

/** An operation over one of the limits. Its text is public: it has numbers, and nothing that was sent. */
export class LimitError extends GraphQLError {}

/**
 * Recognises a request over a limit, also if graphql-js or Apollo counts it and reports it with a text of its own.
 * @param error as Apollo passes it to plugins and formatters, in a wrapper of its own
 * @returns the text for the caller; undefined for all other errors
 */
export function exceededLimit(error: unknown): string | undefined {
  if (!(error instanceof GraphQLError)) {
    return undefined;
  }
  if (error instanceof LimitError || error.originalError instanceof LimitError) {
    return error.message;
  }
  if (error.message.startsWith('Syntax Error: Document contains more that ')) {
    return `The document must not have more than ${LIMITS.tokens} tokens.`;
  }
  const { MAX_RECURSIVE_SELECTIONS_EXCEEDED } = ApolloServerValidationErrorCode;
  if (error.extensions.validationErrorCode === MAX_RECURSIVE_SELECTIONS_EXCEEDED) {
    return `An operation must not select more than ${LIMITS.recursiveSelections} fields, with those of its fragments.`;
  }
  return undefined;
}
