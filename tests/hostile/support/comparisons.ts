import { jest } from '@jest/globals';

/**
 * Watches for names that graphql-js compares with others for "Did you mean": it writes each in lower case first.
 * @returns a function that returns those that match
 */
export function watchComparisons(): (pattern: RegExp) => string[] {
  const lowerCase = jest.spyOn(String.prototype, 'toLowerCase').mockClear();
  return (pattern) => lowerCase.mock.contexts.map(String).filter((text) => pattern.test(text));
}
