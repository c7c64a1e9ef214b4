import { forbidden, insufficient } from './refusal.ts';
import { MAX_SKEW_MILLIS } from './session-cache.ts';
import type { AssuranceLevel, ForbiddenReason, Refusal, Requirements, Session } from './types.ts';

/** From the lowest one on, as `acr` has them (NIST SP 800-63B section 2). */
const LEVELS: readonly unknown[] = ['aal1', 'aal2'] satisfies AssuranceLevel[];

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
/** An empty list would require nothing. */
const isTexts = (value: unknown): boolean =>
  isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText));
/** `verified: false` would look as if it let only those pass who are not verified. */
const isTrue = (value: unknown): boolean => value === true;
const isLevel = (value: unknown): boolean => LEVELS.includes(value);
const isAge = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1;

/** What a requirement must be, by its name. */
const RULES: Record<keyof Requirements, [isRight: (value: unknown) => boolean, rule: string]> = {
  role: [isTexts, 'a text, or a list of texts'],
  ability: [isTexts, 'a text, or a list of texts'],
  verified: [isTrue, 'true, or left out'],
  emailVerified: [isTrue, 'true, or left out'],
  acr: [isLevel, '"aal1" or "aal2", or left out'],
  maxAge: [isAge, 'a whole number of seconds, from 1, or left out'],
  optional: [isTrue, 'true, or left out'],
};

/** True for an object literal or one without a prototype, of any realm. */
const isPlain = (value: unknown): value is object => {
  const isObject = Object.prototype.toString.call(value) === '[object Object]';
  const prototype = isObject ? Object.getPrototypeOf(value) : undefined;
  // Object.prototype alone has this property of its own and no prototype.
  return prototype === null || (isObject && Object.hasOwn(prototype, 'isPrototypeOf'));
};

/**
 * Checks requirements when a route is set up, and copies them: a later change has no effect. A misspelt, undefined or inherited one
 * would let everybody through.
 * @returns an object that inherits nothing, not even what a polluted `Object.prototype` has
 * @throws TypeError that names the problem
 */
export function requirementsOf(requirements: Requirements): Requirements {
  // A Map, a function or an instance of a class has no such properties of its own, so it would require nothing.
  if (!isPlain(requirements)) {
    throw new TypeError('The requirements of a guard must be a plain object, such as { role: "doctor" }.');
  }
  const copy: Record<PropertyKey, unknown> = Object.create(null);
  for (const name of Reflect.ownKeys(requirements)) {
    if (!Object.hasOwn(RULES, name)) {
      throw new TypeError(
        `A guard has the requirements role, ability, verified, emailVerified, acr, maxAge and optional, and no "${String(name)}".`,
      );
    }
    const [isRight, rule] = RULES[name as keyof Requirements];
    const value: unknown = Reflect.get(requirements, name);
    // A copy of a list has no holes, which a loop over its items would leave out.
    copy[name] = Array.isArray(value) ? [...value] : value;
    if (!isRight(copy[name])) {
      throw new TypeError(`The requirement "${String(name)}" of a guard must be ${rule}.`);
    }
  }
  return copy;
}

/**
 * Checks a session. Whoever may not pass at all is not asked for a stronger proof.
 * @param now in milliseconds since 1970. A kept session has the time of its proof, so the age is the one at this moment
 * @returns undefined if the session meets the requirements
 */
export function refusalFor(session: Session, requirements: Requirements, now: number): Refusal | undefined {
  const unmet = unmetBy(session, requirements, now);
  if (unmet !== undefined) {
    return forbidden(unmet);
  }
  return isProven(session, requirements, now) ? undefined : insufficient(requirements);
}

/** The first requirement that a session does not meet. */
function unmetBy(
  { role, verification, verifiedUntil, emailVerified, can }: Session,
  required: Requirements,
  now: number,
): ForbiddenReason | undefined {
  if (required.role !== undefined && ![required.role].flat().some((one) => one === role)) {
    return 'role';
  }
  // A kept session may outlive the end.
  const isVerified =
    verification === 'verified' && !(verifiedUntil !== undefined && verifiedUntil.getTime() <= now);
  if (required.verified === true && !isVerified) {
    return 'verification';
  }
  if (required.emailVerified === true && !emailVerified) {
    return 'email';
  }
  return [required.ability ?? []].flat().every(can) ? undefined : 'ability';
}

/** Without a known level a session meets nothing: an imported token, one of an earlier gateway, or a level of a later one. */
function isProven({ acr, authTime }: Session, required: Requirements, now: number): boolean {
  if (required.acr === undefined && required.maxAge === undefined) {
    return true;
  }
  const level = LEVELS.indexOf(acr);
  if (level < 0 || level < LEVELS.indexOf(required.acr)) {
    return false;
  }
  return required.maxAge === undefined || isRecent(authTime, required.maxAge, now);
}

/** A time that lies too far ahead says nothing: one of the two clocks is wrong, and the proof may be of any age. */
function isRecent(authTime: Date | undefined, maxAgeSeconds: number, now: number): boolean {
  const ageMillis = now - (authTime?.getTime() ?? Number.NaN);
  return ageMillis > -MAX_SKEW_MILLIS && ageMillis <= maxAgeSeconds * 1000;
}
