import { type Request, type RequestHandler, Router } from 'express';
import type { EventAccounts } from '../../auth/events/event-accounts.ts';
import { type EventClients, typesOf } from '../../auth/events/event-clients.ts';
import type { EventFeed } from '../../auth/events/event-feed.ts';
import { presentEvent } from '../../auth/events/present-event.ts';
import type { ServiceAuthentication } from '../../auth/service-authentication.ts';
import { MAX_ID_CHARACTERS } from '../../stores/accounts.ts';
import type { EventType } from '../../stores/events.ts';
import { BadRequestError, ServiceNotAllowedError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { jsonErrorHandler, onlyMethod } from '../http/error-responses.ts';
import { basicCredentialsOf, callerOf } from '../http/request-caller.ts';
import { operation, recordOf, through } from '../http/request-record.ts';

interface EventRoutesParts {
  eventFeed: EventFeed;
  eventAccounts: EventAccounts;
  serviceAuthentication: ServiceAuthentication;
  /** EVENT_CLIENTS. */
  eventClients: EventClients;
  jsonBody: RequestHandler;
  log: Logger;
}

/** The feed of events: a service behind the gateway hears what happened to accounts, and misses nothing (docs/events.md). */
export function eventRoutes({
  eventFeed,
  eventAccounts,
  serviceAuthentication,
  eventClients,
  jsonBody,
  log,
}: EventRoutesParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  /** Which types the service may read. */
  const allowed = new WeakMap<Request, readonly EventType[]>();
  const authenticate: RequestHandler = async (req, _res, next) => {
    const service = await serviceAuthentication.authenticate(basicCredentialsOf(req), callerOf(req));
    recordOf(req).service = service;
    const types = eventClients.get(service);
    if (!types) {
      throw new ServiceNotAllowedError();
    }
    allowed.set(req, types);
    next();
  };
  router
    .route('/events')
    .all(through('introspection'), operation('events'), onlyMethod('GET'))
    .get(authenticate, async (req, res) => {
      const wanted = wantedTypes(req, allowed.get(req) ?? []);
      const record = recordOf(req);
      const page = await eventFeed.read(
        {
          service: record.service ?? '',
          after: parameter(req, 'after'),
          isWanted: (type) => wanted.includes(type),
          waitSeconds: waitSecondsOf(req),
          onWaited: (millis) => {
            record.waitedMillis += millis;
          },
        },
        callerOf(req).gone,
      );
      res.set('Cache-Control', 'no-store').json({ events: page.events.map(presentEvent), next: page.next });
    });
  router
    .route('/events/accounts')
    .all(through('introspection'), operation('event-accounts'), onlyMethod('POST'))
    .post(authenticate, jsonBody, async (req, res) => {
      const found = await eventAccounts.readFor(allowed.get(req) ?? [], idsOf(req));
      res.set('Cache-Control', 'no-store').json({ accounts: found });
    });
  router.use(jsonErrorHandler(log));
  return router;
}

/** @throws BadRequestError if it comes more than once */
function parameter({ query }: Request, name: string): string | undefined {
  const value: unknown = query[name];
  if (value !== undefined && typeof value !== 'string') {
    throw new BadRequestError(`The parameter ${name} must be sent once.`);
  }
  return value;
}

/** @throws BadRequestError for a type that does not exist; ServiceNotAllowedError for one that the service may not read */
function wantedTypes(req: Request, allowed: readonly EventType[]): readonly EventType[] {
  const sent = parameter(req, 'types');
  if (sent === undefined) {
    return allowed;
  }
  const wanted = typesOf(sent);
  if (!wanted) {
    throw new BadRequestError(
      'The parameter types must be types of events, such as account.*,doctor.verified.',
    );
  }
  if (!wanted.every((type) => allowed.includes(type))) {
    throw new ServiceNotAllowedError();
  }
  return wanted;
}

/** @throws BadRequestError */
function waitSecondsOf(req: Request): number {
  const sent = parameter(req, 'wait') ?? '0';
  if (!/^\d{1,6}$/.test(sent)) {
    throw new BadRequestError('The parameter wait must be a number of seconds.');
  }
  return Number(sent);
}

const MAX_IDS = 500;

/** @throws BadRequestError */
function idsOf({ body }: Request): string[] {
  const { ids }: { ids?: unknown } = Object(body);
  const isList =
    Array.isArray(ids) &&
    ids.length <= MAX_IDS &&
    ids.every((id) => typeof id === 'string' && id.length > 0 && id.length <= MAX_ID_CHARACTERS);
  if (!isList) {
    throw new BadRequestError(`The field ids must be a list of up to ${MAX_IDS} ids of accounts.`);
  }
  return [...new Set(ids as string[])];
}
