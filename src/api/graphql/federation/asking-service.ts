import type { ServiceAuthentication } from '../../../auth/service-authentication.ts';
import { serviceCredentialsOf } from '../../http/requests/basic-credentials.ts';
import { recordOf } from '../../http/requests/request-record.ts';
import type { GraphqlContext } from '../context.ts';

/** Finds out which service sends a request, if one does. */
export type AskingService = (context: GraphqlContext) => Promise<string | undefined>;

/**
 * Authenticates the service that sends a request: once, however many fields ask.
 * @returns a function that returns the id of the service, or undefined if the request has no credentials of one. It throws
 *   InvalidServiceError or TooManyAttemptsError if the credentials are wrong
 */
export function askingService(services: ServiceAuthentication): AskingService {
  const found = new WeakMap<GraphqlContext, ReturnType<AskingService>>();
  const find: AskingService = async ({ req, caller }) => {
    const credentials = serviceCredentialsOf(req);
    if (credentials === undefined) {
      return undefined;
    }
    const service = await services.authenticate(credentials, caller);
    recordOf(req).service = service;
    return service;
  };
  return (context) => {
    const known = found.get(context) ?? find(context);
    found.set(context, known);
    return known;
  };
}
