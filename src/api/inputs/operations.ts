import { UNRESTRICTED as ALL, type Need } from '../../auth/tokens/abilities.ts';
import { ROLES } from '../../stores/roles.ts';

/** What is known of an operation of the public API before any of its code runs. */
export interface Operation extends Omit<Need, 'needs'> {
  /** What it needs of the presented access token; `no token`: it looks at none. */
  needs: Need['needs'] | 'no token';
  /** True if the challenge of a login that has to set up a second factor may take the place of a token. */
  takesChallenge?: true;
  /** True if it ends the presented token. */
  endsToken?: true;
  /**
   * True if it takes a password, issues a token or sends a mail, or if it is a query that reads and answers megabytes. An operation of
   * GraphQL may have only one of them.
   */
  isSensitive?: true;
  /** Of the answer in REST, if not 200. */
  status?: 201 | 202;
  /** Its endpoint, if REST has one. */
  rest?: `${'GET' | 'POST' | 'PUT'} ${string}`;
}

/**
 * Every operation of the public API, by its name in GraphQL and its `operationId` in REST. Resolvers and endpoints ask
 * `Sessions.authorize` with its row.
 */
export const OPERATIONS = {
  registerDoctor: {
    ...{ needs: 'no token', isSensitive: true, status: 201 },
    rest: 'POST /api/v1/auth/register/doctor',
  },
  registerPatient: {
    ...{ needs: 'no token', isSensitive: true, status: 201 },
    rest: 'POST /api/v1/auth/register/patient',
  },
  invitation: { needs: 'no token', feature: 'invitations', isSensitive: true },
  login: { needs: 'no token', isSensitive: true, rest: 'POST /api/v1/auth/login' },
  logout: { needs: 'token', endsToken: true, rest: 'POST /api/v1/auth/logout' },
  me: { needs: 'token' },
  user: { needs: 'token', rest: 'GET /api/v1/user' },
  updateMyProfile: {
    ...{ needs: 'update', audited: 'correction', isSensitive: true },
    rest: 'PUT /api/v1/auth/user/profile-information',
  },

  changePassword: {
    ...{ needs: 'update', audited: 'password change', isSensitive: true },
    rest: 'PUT /api/v1/auth/password',
  },
  requestPasswordReset: { needs: 'no token', isSensitive: true, rest: 'POST /api/v1/auth/forgot-password' },
  resetPassword: { needs: 'no token', isSensitive: true, rest: 'POST /api/v1/auth/reset-password' },

  requestEmailVerification: {
    ...{ needs: 'update', audited: 'e-mail proof request', feature: 'e-mail links', isSensitive: true },
    ...{ takesChallenge: true, rest: 'POST /api/v1/auth/email/verification-notification' },
  },
  verifyEmail: { needs: 'no token', isSensitive: true, rest: 'POST /api/v1/auth/verify-email' },
  changeEmail: {
    ...{ needs: ALL, audited: 'e-mail change request', feature: 'e-mail links', isSensitive: true },
    ...{ status: 202, rest: 'PUT /api/v1/auth/user/email' },
  },

  myTokens: { needs: ALL, audited: 'reading' },
  revokeToken: { needs: 'delete', audited: 'revocation' },
  revokeOtherTokens: { needs: 'delete', audited: 'revocation' },

  completeLogin: {
    ...{ needs: 'no token', feature: 'second factor', isSensitive: true },
    rest: 'POST /api/v1/auth/two-factor-challenge',
  },
  myTwoFactor: {
    ...{ needs: ALL, audited: 'reading', feature: 'second factor' },
    rest: 'GET /api/v1/auth/user/two-factor-authentication',
  },
  enableTwoFactor: {
    ...{ needs: ALL, audited: 'second factor setup', feature: 'authenticator apps', isSensitive: true },
    ...{ takesChallenge: true, rest: 'POST /api/v1/auth/user/two-factor-authentication' },
  },
  confirmTwoFactor: {
    ...{
      needs: ALL,
      audited: 'second factor confirmation',
      feature: 'authenticator apps',
      isSensitive: true,
    },
    ...{ takesChallenge: true, rest: 'POST /api/v1/auth/user/confirmed-two-factor-authentication' },
  },
  disableTwoFactor: {
    ...{ needs: ALL, audited: 'second factor removal', feature: 'authenticator apps', isSensitive: true },
    rest: 'POST /api/v1/auth/user/two-factor-authentication/disable',
  },
  renewRecoveryCodes: {
    ...{ needs: ALL, audited: 'recovery codes', feature: 'second factor', isSensitive: true },
    rest: 'POST /api/v1/auth/user/two-factor-recovery-codes',
  },
  stepUp: {
    ...{ needs: 'token', feature: 'second factor', endsToken: true, isSensitive: true },
    rest: 'POST /api/v1/auth/user/confirm-two-factor',
  },

  passkeyLoginOptions: {
    ...{ needs: 'no token', feature: 'passkeys', isSensitive: true },
    rest: 'GET /api/v1/auth/passkeys/login/options',
  },
  loginWithPasskey: {
    ...{ needs: 'no token', feature: 'passkeys', isSensitive: true },
    rest: 'POST /api/v1/auth/passkeys/login',
  },
  passkeyConfirmOptions: {
    ...{ needs: 'token', feature: 'passkeys', isSensitive: true },
    rest: 'GET /api/v1/auth/passkeys/confirm/options',
  },
  /** A step-up by a passkey, which GraphQL has as `stepUp`. */
  confirmPasskey: {
    ...{ needs: 'token', feature: 'passkeys', endsToken: true },
    rest: 'POST /api/v1/auth/passkeys/confirm',
  },
  passkeyAddOptions: {
    ...{ needs: ALL, audited: 'passkey setup', feature: 'passkeys', isSensitive: true },
    ...{ takesChallenge: true, rest: 'POST /api/v1/auth/user/passkeys/options' },
  },
  addPasskey: {
    ...{ needs: ALL, audited: 'passkey addition', feature: 'passkeys', isSensitive: true },
    ...{ takesChallenge: true, status: 201, rest: 'POST /api/v1/auth/user/passkeys' },
  },
  myPasskeys: {
    ...{ needs: ALL, audited: 'reading', feature: 'passkeys', isSensitive: true },
    rest: 'GET /api/v1/auth/user/passkeys',
  },
  renamePasskey: {
    ...{ needs: ALL, audited: 'passkey renaming', feature: 'passkeys' },
    rest: 'PUT /api/v1/auth/user/passkeys/{id}',
  },
  removePasskey: {
    ...{ needs: ALL, audited: 'passkey removal', feature: 'passkeys', isSensitive: true },
    rest: 'POST /api/v1/auth/user/passkeys/{id}/remove',
  },

  doctorsForReview: { needs: ALL, audited: 'review', role: ROLES.REVIEWER, isSensitive: true },
  doctorForReview: { needs: ALL, audited: 'review', role: ROLES.REVIEWER, isSensitive: true },
  decideOnDoctor: { needs: ALL, audited: 'review', role: ROLES.REVIEWER },
  resubmitDocuments: { needs: 'update', audited: 'resubmission', role: ROLES.DOCTOR, isSensitive: true },

  exportMyData: { needs: ALL, audited: 'data export', isSensitive: true },
  deleteMyAccount: { needs: 'delete', audited: 'closing', endsToken: true, isSensitive: true },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
