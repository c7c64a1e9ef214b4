import type { AuthError } from '@auth-gateway/client';
import type { Texts } from '../language/language.ts';
import { problemsIn, ruleText } from './rule-texts.ts';

/** The text for the user about an error that belongs to no field of a form. */
export function problemText(error: AuthError<string>, texts: Texts): string {
  const wrong = Object.entries(problemsIn(error)).flatMap(([field, problems]) =>
    problems.map((problem) => ruleText(texts, field, problem)),
  );
  if (wrong.length > 0) {
    return wrong.join(' ');
  }
  const facts = {
    seconds: 'retryAfterSeconds' in error ? error.retryAfterSeconds : 0,
    status: 'status' in error ? error.status : 0,
  };
  const isUnknown = 'reason' in error && error.reason === 'unknown';
  // For the operators, whom the text does not help.
  const id =
    ['INTERNAL_SERVER_ERROR', 'UNKNOWN'].includes(error.code) && 'requestId' in error && error.requestId;
  return [
    texts.errors[error.code](facts),
    ...(isUnknown ? [texts.mayHaveHappened] : []),
    ...(id ? [texts.requestId(id)] : []),
  ].join(' ');
}
