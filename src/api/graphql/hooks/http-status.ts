import { unwrapResolverError } from '@apollo/server/errors';
import { toServiceError } from '../../http/error-responses.ts';
import { isResponseJson } from '../response-type.ts';
import { exceededLimit } from '../rules/limits.ts';
import type { Failed } from './request-stages.ts';

/** Rejections that do not depend on the operation. Generic clients and proxies understand these statuses. */
const TRY_LATER_STATUSES = [429, 503];

/** Sets the HTTP status of an answer with errors, where it differs from Apollo's. */
export function answerErrors(context: Failed): void {
  answerRequestError(context);
  answerTryLater(context);
}

/**
 * A client of `application/json` gets 200 and finds the errors of its operation in the body, as for any result (GraphQL over
 * HTTP section 6.4.1). A client of the newer type gets 400 (section 6.4.2), which is Apollo's status for both. A request that
 * is no GraphQL request gets 400 in any case. So does one over a limit, so that monitoring by status shows it.
 */
function answerRequestError({ contextValue, errors = [], response: { http } }: Failed): void {
  if (http.status !== 400 || isResponseJson(contextValue.req)) {
    return;
  }
  const isRefused = errors.some(
    (error) => error.extensions.code === 'BAD_REQUEST' || exceededLimit(error) !== undefined,
  );
  if (!isRefused) {
    http.status = 200;
  }
}

/** Sets status and headers of a rejection to try again later, if the response has no data. */
function answerTryLater({ errors, response: { body, http } }: Failed): void {
  if (!errors || body.kind !== 'single' || body.singleResult.data) {
    return;
  }
  const refusal = errors
    .map((error) => toServiceError(unwrapResolverError(error)))
    .find(({ status }) => TRY_LATER_STATUSES.includes(status));
  if (!refusal) {
    return;
  }
  http.status = refusal.status;
  for (const [name, value] of Object.entries(refusal.headers)) {
    http.headers.set(name.toLowerCase(), value);
  }
}
