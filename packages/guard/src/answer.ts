import type { Answer } from './connection.ts';
import { GuardError } from './guard-error.ts';
import type { Settings } from './settings.ts';
import type { Session } from './types.ts';

const ALL_ABILITIES = '*';
/** Used if a refusal does not say when to try again. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Reads the answer to a question (RFC 7662 section 2.2).
 * @returns undefined if the token is not valid
 * @throws GuardError if the answer says neither yes nor no
 */
export function readAnswer(answer: Answer, settings: Settings): Session | undefined {
  if (answer.status !== 200) {
    throw refusal(answer, settings);
  }
  const body = parse(answer.text);
  if (body?.active === false) {
    return undefined;
  }
  const session = body?.active === true ? sessionOf(body) : undefined;
  if (session === undefined) {
    throw notOurs(answer);
  }
  return session;
}

function refusal(answer: Answer, { endpoint, client }: Settings): GuardError {
  const seconds = secondsOf(answer.retryAfter);
  switch (answer.status) {
    case 401:
      return new GuardError(
        'UNKNOWN_SERVICE',
        `The gateway at ${endpoint.origin} does not know the service "${client}", or its secret is another one. ` +
          "Compare the guard's options with the gateway's setting INTROSPECTION_CLIENTS.",
        seconds,
      );
    case 429:
      return new GuardError(
        'TOO_MANY_ATTEMPTS',
        `The gateway at ${endpoint.origin} has received too many wrong secrets from the address of this service.`,
        seconds,
      );
    case 503:
      return new GuardError(
        'SERVICE_UNAVAILABLE',
        `The gateway at ${endpoint.origin} is overloaded, or its database is unreachable.`,
        seconds,
      );
    default:
      return notOurs(answer);
  }
}

const notOurs = ({ status }: Answer): GuardError =>
  new GuardError(
    'INVALID_RESPONSE',
    `The answer (HTTP ${status}) is not that of a gateway's introspection. Is the address right, and is INTROSPECTION_CLIENTS set there?`,
  );

const secondsOf = (retryAfter = ''): number =>
  /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : RETRY_AFTER_SECONDS;

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // It inherits nothing: a polluted Object.prototype must not add a field that the gateway has left out.
    return typeof value === 'object' && value !== null
      ? Object.assign(Object.create(null), value)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * How the owner of the token was proven (RFC 9470 section 6.2). An older gateway does not say it, nor does it of an imported token.
 * @returns undefined if a field is of the wrong type
 */
function proofOf({ acr, amr = [], auth_time }: Record<string, unknown>) {
  return (acr === undefined || isText(acr)) && Array.isArray(amr) && amr.every(isText) && isTime(auth_time)
    ? { acr, amr: Object.freeze([...amr]), authTime: dateOf(auth_time) }
    : undefined;
}

/** @returns undefined if a field is missing or of the wrong type */
function sessionOf(answer: Record<string, unknown>): Session | undefined {
  const { sub, jti, scope, iat, exp, role, name, verification, verified_until, email_verified } = answer;
  if (
    !isText(sub) ||
    !isText(jti) ||
    !isText(role) ||
    typeof name !== 'string' ||
    typeof scope !== 'string'
  ) {
    return undefined;
  }
  const proof = proofOf(answer);
  if (!isTime(iat) || !isTime(exp) || !isTime(verified_until) || !proof) {
    return undefined;
  }
  if (!(verification === undefined || isText(verification))) {
    return undefined;
  }
  const abilities = Object.freeze(scope.split(' ').filter((ability) => ability !== ''));
  return Object.freeze({
    accountId: sub,
    role,
    name,
    verification,
    verifiedUntil: dateOf(verified_until),
    // A gateway without such proofs does not say it.
    emailVerified: email_verified === true,
    ...proof,
    tokenId: jti,
    abilities,
    issuedAt: dateOf(iat),
    expiresAt: dateOf(exp),
    can: (ability: string) => abilities.includes(ability) || abilities.includes(ALL_ABILITIES),
  });
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isTime = (value: unknown): value is number | undefined =>
  value === undefined || (typeof value === 'number' && value >= 0);
const dateOf = (seconds: number | undefined): Date | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000);
