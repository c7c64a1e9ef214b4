// Apart from the accounts, because the settings name roles, and are read before the libraries of the database are loaded.

/**
 * The roles of an account (docs/contract.md). The endpoint of the registration decides the role, never the request. Reviewers
 * look at the documents of doctors, and operators help people. Only the command line makes these two.
 */
export const ROLES = {
  DOCTOR: 'doctor',
  PATIENT: 'patient',
  REVIEWER: 'reviewer',
  OPERATOR: 'operator',
} as const;
export type Role = (typeof ROLES)[keyof typeof ROLES];

/** The roles that GraphQL, REST and services know. An operator has no account for them: neither a login nor a token. */
export const PUBLIC_ROLES = {
  DOCTOR: ROLES.DOCTOR,
  PATIENT: ROLES.PATIENT,
  REVIEWER: ROLES.REVIEWER,
} as const;

/** The roles of people who decide about others. */
export const STAFF_ROLES: readonly Role[] = [ROLES.OPERATOR, ROLES.REVIEWER];

/** The roles that register, and to which operators invite. */
export const INVITED_ROLES = { DOCTOR: ROLES.DOCTOR, PATIENT: ROLES.PATIENT } as const;
export type InvitedRole = (typeof INVITED_ROLES)[keyof typeof INVITED_ROLES];
