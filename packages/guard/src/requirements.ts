import type { Requirements, Session } from './types.ts';

const NAMES = ['role', 'ability', 'verified', 'emailVerified'];
const FLAGS = ['verified', 'emailVerified'];

/**
 * Checks requirements when a route is set up. A misspelt or undefined one would let everybody through.
 * @throws TypeError that names the problem
 */
export function checkRequirements(requirements: Requirements): void {
  // A Map or a function has no such properties, so it would require nothing.
  if (Object.prototype.toString.call(requirements) !== '[object Object]') {
    throw new TypeError('The requirements of a guard must be an object, such as { role: "doctor" }.');
  }
  for (const [name, value] of Object.entries(requirements)) {
    if (!NAMES.includes(name)) {
      throw new TypeError(
        `A guard has the requirements role, ability, verified and emailVerified, and no "${name}".`,
      );
    }
    if (FLAGS.includes(name)) {
      requireTrue(name, value);
      continue;
    }
    if (typeof value !== 'string' || value === '') {
      throw new TypeError(`The requirement "${name}" of a guard must be a text.`);
    }
  }
}

/** `verified: false` would look as if it let only those pass who are not verified. */
function requireTrue(name: string, value: unknown): void {
  if (value !== true) {
    throw new TypeError(`The requirement "${name}" of a guard must be true, or left out.`);
  }
}

/**
 * Checks a session.
 * @returns the text of the refusal, as Laravel (`AuthorizationException`) and Sanctum (`MissingAbilityException`) word it;
 *   undefined if the session meets the requirements
 */
export function unmetBy(
  { role, verification, emailVerified, can }: Session,
  requirements: Requirements,
): string | undefined {
  const isOther = requirements.role !== undefined && requirements.role !== role;
  const isUnverified = requirements.verified === true && verification !== 'verified';
  const isUnproven = requirements.emailVerified === true && !emailVerified;
  if (isOther || isUnverified || isUnproven) {
    return 'This action is unauthorized.';
  }
  return requirements.ability === undefined || can(requirements.ability)
    ? undefined
    : 'Invalid ability provided.';
}
