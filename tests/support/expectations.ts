import type { AccountView, Outcome, ProfileView, Refusal, RefusalKind, Success } from './api.ts';

/** A successful registration or login. */
export interface Authenticated extends Success {
  account: AccountView;
  token: string;
}

/** The profile of a doctor who registered with all three documents. */
export type WholeProfile = ProfileView & { certificationUrl: string };

/** A successful registration of a doctor. */
export interface RegisteredDoctor extends Authenticated {
  profile: WholeProfile;
}

/** Checks that a call succeeded, and returns its result. */
export function succeeded(outcome: Outcome): Success {
  if (!outcome.ok) {
    throw new Error(`refused: ${outcome.http.status} ${outcome.http.text}`);
  }
  return outcome;
}

/** Checks that a registration or a login succeeded. */
export function authenticated(outcome: Outcome): Authenticated {
  const { account, token, ...rest } = succeeded(outcome);
  if (!account || token === undefined) {
    throw new Error(`no account or token in ${outcome.http.text}`);
  }
  return { ...rest, account, token };
}

/** Checks that the registration of a doctor succeeded. */
export function registeredDoctor(outcome: Outcome): RegisteredDoctor {
  const { profile, ...rest } = authenticated(outcome);
  return { ...rest, profile: wholeProfile(profile) };
}

/** Expects a profile with all three documents. */
export function wholeProfile(profile: ProfileView | null | undefined): WholeProfile {
  if (!profile) {
    throw new Error('no profile');
  }
  const { certificationUrl } = profile;
  if (certificationUrl === null) {
    throw new Error('no certification');
  }
  return { ...profile, certificationUrl };
}

/** Checks that a call was refused for this reason, and returns the refusal. */
export function refused(outcome: Outcome, kind: RefusalKind): Refusal {
  if (outcome.ok) {
    throw new Error(`not refused: ${outcome.http.text}`);
  }
  if (outcome.kind !== kind) {
    throw new Error(`refused, but: ${outcome.http.status} ${outcome.http.text}`);
  }
  return outcome;
}

/**
 * Checks that input was refused with exactly these texts in this order (docs/contract.md, "Validation errors").
 * @param errors texts by camelCase field
 */
export function expectInvalid(outcome: Outcome, errors: Record<string, string[]>): void {
  const refusal = refused(outcome, 'validation');
  expect(refusal.errors).toEqual(errors);
  const [first, ...others] = Object.values(errors).flat();
  const more =
    others.length === 0 ? '' : ` (and ${others.length} more error${others.length === 1 ? '' : 's'})`;
  expect(refusal.message).toBe(`${first}${more}`);
}

/** Checks that input was refused for these fields, whatever the texts are. */
export function expectInvalidFields(outcome: Outcome, fields: string[]): void {
  expect(Object.keys(refused(outcome, 'validation').errors)).toEqual(fields);
}
