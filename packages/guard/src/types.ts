import type { GuardError } from './guard-error.ts';

/** The first three may come from the environment as they are: one that is undefined throws. */
export interface GuardOptions {
  /** The gateway's base address, such as `https://auth.example.org`. */
  url: string | undefined;
  /** The id of this service in the gateway's setting INTROSPECTION_CLIENTS. */
  client: string | undefined;
  /** The secret of this service, in plain text. */
  secret: string | undefined;
  /**
   * How long an answer may be used again; by default 0, which asks the gateway for each request. A revoked token, or a
   * doctor who was suspended, may pass for this long.
   */
  cacheMillis?: number | undefined;
  /**
   * True: the guard follows the events of the gateway, and uses an answer again for up to a minute, until something happens to its
   * account. The service needs the events `account.*`, `doctor.*`, `sessions.revoked` and `factor.*` (EVENT_CLIENTS). If they do not
   * come for 5 s, nothing older than `cacheMillis` is used.
   */
  events?: boolean | undefined;
  /** How long a question to the gateway may take, including the wait for a connection; by default 3 s. */
  timeoutMillis?: number | undefined;
  /** Called once for each question that fails. By default, the error is a warning of the process, on standard error. */
  onError?: ((error: GuardError) => void) | undefined;
}

export type Role = 'doctor' | 'patient' | 'reviewer';
/** Any text, since a newer gateway may have more roles. Editors propose the known ones. */
export type RequiredRole = Role | (string & {});

/** How well the owner of a token was proven: by a password, or by a second factor, too (NIST SP 800-63B section 2). */
export type AssuranceLevel = 'aal1' | 'aal2';

/** The owner of a valid access token, as the gateway describes it (RFC 7662 section 2.2). It is frozen. */
export interface Session {
  /** The id of the account. */
  readonly accountId: string;
  /** `doctor`, `patient` or `reviewer`. A newer gateway may have more roles. */
  readonly role: string;
  readonly name: string;
  /**
   * The state of a doctor when the gateway answered: `pending`, `verified`, `rejected`, `suspended` or `expired`. A newer gateway may
   * have more. Undefined for other accounts, and from a gateway without reviews.
   */
  readonly verification: string | undefined;
  /** When the verification of a verified doctor ends, or has ended. An answer that is kept may outlive it. Undefined if it does not end. */
  readonly verifiedUntil: Date | undefined;
  /** True if the e-mail address of the account was verified by a mailed link. False from a gateway without such links. */
  readonly emailVerified: boolean;
  /**
   * How well the owner was proven: `aal1` or `aal2`. A newer gateway may have more. Undefined for an imported token or one of an
   * earlier version, and from a gateway without it.
   */
  readonly acr: string | undefined;
  /** The methods of the last proof (RFC 8176), such as `pwd`, `otp` and `mfa`. Empty where {@link acr} is undefined. */
  readonly amr: readonly string[];
  /** When the last proof was. Undefined where {@link acr} is. */
  readonly authTime: Date | undefined;
  /** The id of the access token, which is no secret. */
  readonly tokenId: string;
  /** The abilities of the access token; `*` among them means all. */
  readonly abilities: readonly string[];
  /** Undefined for an imported token without that time. */
  readonly issuedAt: Date | undefined;
  /** Undefined if the token does not expire. */
  readonly expiresAt: Date | undefined;
  /** True if the access token has this ability, or all. */
  can(ability: string): boolean;
}

/** What a request needs besides a valid access token. */
export interface Requirements {
  /** The account has this role, or one of several. A role that no account has lets nobody through. */
  role?: RequiredRole | readonly RequiredRole[];
  /** The token has this ability, or all of several. */
  ability?: string | readonly string[];
  /** The account is a doctor whom a reviewer has approved, and whose verification has not ended. Patients and reviewers are refused. */
  verified?: true;
  /** The e-mail address of the account was verified by a mailed link. */
  emailVerified?: true;
  /** The owner of the token was proven at least so well. A second factor is `aal2`. */
  acr?: AssuranceLevel;
  /** The last proof is at most so many seconds ago, when the requirement is checked. */
  maxAge?: number;
  /**
   * A request without the header `Authorization` may pass, too; `findSession` then has no session. One that is presented must be valid,
   * and meet the requirements beside this one.
   */
  optional?: true;
}

/** A request of Node.js, Express, Fastify or the Fetch API. */
export type GuardedRequest = NodeRequest | FastifyRequest | FetchRequest;

export interface NodeRequest {
  headers: { authorization?: string | undefined };
  rawHeaders?: readonly string[];
}

export interface FastifyRequest {
  headers: { authorization?: string | undefined };
  raw: NodeRequest;
}

export interface FetchRequest {
  headers: { get(name: string): string | null };
}

/** The part of a response of Node.js or Express that the middleware uses. */
export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** The part of a reply of Fastify that the hook uses. */
export interface FastifyReply {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: unknown): unknown;
}

/** A part of the context of a GraphQL operation. */
export interface GuardContext {
  /** Undefined if the request has no valid access token. */
  readonly session: Session | undefined;
  /**
   * The session, for resolvers that need one.
   * @throws an error whose `extensions.code` is UNAUTHENTICATED, FORBIDDEN if it does not meet the requirements, or
   *   INSUFFICIENT_USER_AUTHENTICATION if it lacks only a stronger or newer proof
   */
  requireSession(requirements?: Omit<Requirements, 'optional'>): Session;
}

/** The class `GraphQLError` of the package graphql. */
export type GraphqlErrorClass = new (
  message: string,
  options: { extensions: Record<string, unknown> },
) => Error;

/** Why a request is answered with 403. */
export type ForbiddenReason = 'role' | 'verification' | 'email' | 'ability';

/** An answer to a request that does not get through. */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  /** As the gateway and Laravel word it. */
  body: { message: string; reason?: ForbiddenReason };
  /** The same for GraphQL, one of the gateway's codes. */
  code: string;
  /** Of the GraphQL error, beside the code. */
  extensions?: Record<string, unknown>;
}

/** What a guard has decided about a request: its session, or the answer that refuses it. Where a token is optional, neither of the two. */
export type Decision<IsOptional extends boolean = false> =
  | { session: Session; refusal?: undefined }
  | { session?: undefined; refusal: Refusal }
  | (IsOptional extends true ? { session?: undefined; refusal?: undefined } : never);

/** Checks access tokens. Its functions do not use `this`, so they may be passed around alone. */
export interface Guard {
  /**
   * Asks the gateway for the owner of an access token.
   * @returns undefined if the token is not valid
   * @throws GuardError if the gateway gives no answer. The token may be valid or not
   */
  check(token: string): Promise<Session | undefined>;
  /**
   * Decides on a request, for frameworks without a function of their own. A refusal has the status, the headers and the JSON body of
   * the answer. It never rejects.
   * @throws TypeError for requirements that do not exist
   */
  decide(request: GuardedRequest, requirements: Requirements & { optional: true }): Promise<Decision<true>>;
  decide(request: GuardedRequest, requirements?: Requirements): Promise<Decision>;
  /**
   * A middleware for Express. It lets a request through if it has a valid token and meets the requirements. Otherwise it
   * answers 401 or 403, and 503 if the gateway gives no answer. If it lacks only a stronger or newer proof, the header
   * `WWW-Authenticate` of the 401 says which (RFC 9470).
   * @throws TypeError for requirements that do not exist
   */
  express(
    requirements?: Requirements,
  ): (request: NodeRequest, response: ExpressResponse, next: () => void) => Promise<void>;
  /** The same as a hook for Fastify: `onRequest`, or any other before the handler. */
  fastify(requirements?: Requirements): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  /**
   * The session of a request that the middleware or the hook has let through.
   * @throws Error if it has not, so that a forgotten middleware is found
   */
  session(request: object): Session;
  /** The session of a request where it is `optional`; undefined for a request without a token. */
  findSession(request: object): Session | undefined;
  /**
   * A part of the context of a GraphQL operation, for Apollo Server, GraphQL Yoga and others.
   * @param options GraphQL Yoga needs the class of the errors, that of the service's own package graphql
   * @throws an error whose `extensions.code` is SERVICE_UNAVAILABLE if the gateway gives no answer. It ends the operation
   */
  context(request: GuardedRequest, options?: { GraphQLError?: GraphqlErrorClass }): Promise<GuardContext>;
}
