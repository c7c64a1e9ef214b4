import { bearerOf, hasCredentials } from './bearer.ts';
import { EventFollower } from './event-follower.ts';
import { graphqlContext, graphqlError, PlainGraphqlError } from './graphql.ts';
import { GuardError } from './guard-error.ts';
import { Questions } from './questions.ts';
import { unauthenticated, unavailable } from './refusal.ts';
import { refusalFor, requirementsOf } from './requirements.ts';
import { type Clock, MAX_EVENT_MILLIS, MAX_SKEW_MILLIS, SessionCache, systemClock } from './session-cache.ts';
import { settingsOf } from './settings.ts';
import type { Decision, Guard, GuardedRequest, GuardOptions, Requirements, Session } from './types.ts';

/** True for a token whose end has passed, whatever the answer says: it may be an old one that something in between has kept. */
const isOver = ({ expiresAt }: Session, clock: Clock): boolean =>
  expiresAt !== undefined && expiresAt.getTime() + MAX_SKEW_MILLIS <= clock.now();

/**
 * Makes a guard. It asks the gateway nothing until there is a token to check.
 * @throws TypeError if an option is missing or wrong; the message says which
 */
export const createGuard = (options: GuardOptions): Guard => createGuardWith(options, systemClock);

/** Makes a guard with a clock that a test can set. */
export function createGuardWith(options: GuardOptions, clock: Clock): Guard {
  const settings = settingsOf(options);
  const questions = new Questions(settings);
  const { cacheMillis, events } = settings;
  const maxMillis = (askedAt: number): number =>
    follower?.knowsSince(askedAt) ? Math.max(cacheMillis, MAX_EVENT_MILLIS) : cacheMillis;
  const cache = cacheMillis > 0 || events ? new SessionCache(maxMillis, clock) : undefined;
  const follower = cache && events ? new EventFollower(settings, cache, clock) : undefined;
  /** The sessions of the requests that were let through. */
  const sessions = new WeakMap<object, Session>();

  const check = async (token: string): Promise<Session | undefined> => {
    follower?.use();
    const kept = cache?.get(token);
    if (kept !== undefined) {
      return kept;
    }
    const askedAt = clock.elapsed();
    const session = await questions.ask(token);
    if (session === undefined || isOver(session, clock)) {
      return undefined;
    }
    cache?.set(token, session, askedAt);
    return session;
  };

  const sessionOf = async (request: GuardedRequest): Promise<Session | undefined> => {
    const token = bearerOf(request);
    return token === undefined ? undefined : check(token);
  };

  const decisionOn = async (request: GuardedRequest, requirements: Requirements): Promise<Decision<true>> => {
    // An earlier guard may have let this request through: a route may ask for more than its router.
    const session = sessions.get(request) ?? (await sessionOf(request));
    if (session === undefined) {
      // A token that is presented must be valid: the client would not learn that its session has ended.
      const isLetThrough = requirements.optional && !hasCredentials(request);
      return isLetThrough ? { session, refusal: undefined } : { session, refusal: unauthenticated };
    }
    const refusal = refusalFor(session, requirements, clock.now());
    if (refusal) {
      return { session: undefined, refusal };
    }
    sessions.set(request, session);
    return { session, refusal };
  };

  const decide = async (request: GuardedRequest, requirements: Requirements): Promise<Decision<true>> => {
    try {
      return await decisionOn(request, requirements);
    } catch (error) {
      if (error instanceof GuardError) {
        return { session: undefined, refusal: unavailable(error) };
      }
      throw error;
    }
  };

  return {
    check,

    decide: ((request, requirements = {}) =>
      decide(request, requirementsOf(requirements))) as Guard['decide'],

    express(given = {}) {
      const requirements = requirementsOf(given);
      return async (request, response, next) => {
        const { refusal } = await decide(request, requirements);
        if (refusal === undefined) {
          next();
          return;
        }
        response.statusCode = refusal.status;
        for (const [name, value] of Object.entries({ ...refusal.headers, 'Content-Type': JSON_TYPE })) {
          response.setHeader(name, value);
        }
        response.end(JSON.stringify(refusal.body));
      };
    },

    fastify(given = {}) {
      const requirements = requirementsOf(given);
      return async (request, reply) => {
        const { refusal } = await decide(request, requirements);
        if (refusal === undefined) {
          return undefined;
        }
        reply.code(refusal.status);
        reply.headers(refusal.headers);
        reply.send(refusal.body);
        // This tells Fastify that the hook has answered.
        return reply;
      };
    },

    session(request) {
      const session = sessions.get(request);
      if (session === undefined) {
        throw new Error(
          'This request has passed no guard. Put guard.express() or guard.fastify() before its handler.',
        );
      }
      return session;
    },

    findSession: (request) => sessions.get(request),

    async context(request, { GraphQLError = PlainGraphqlError } = {}) {
      try {
        return graphqlContext(await sessionOf(request), GraphQLError, clock);
      } catch (error) {
        if (error instanceof GuardError) {
          const { retryAfterSeconds } = error;
          throw graphqlError(GraphQLError, unavailable(error), { retryAfterSeconds, http: { status: 503 } });
        }
        throw error;
      }
    },
  };
}

const JSON_TYPE = 'application/json';
