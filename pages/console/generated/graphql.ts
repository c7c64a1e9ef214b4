/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '../typed-document.ts';
/** Which account is changed, and why. */
export type AccountChangeInput = {
  /** The id of the account. */
  account: string | number;
  /** Why, in one line. The audit trail keeps it. */
  reason: string;
  /** `version` of the account, as it was read. If it has changed since, the answer is `CONFLICT`. */
  version: string | number;
};

/** Whether an account can be used. */
export type AccountState =
  /** Its owner can log in. */
  | 'ACTIVE'
  /** It waits for its erasure, until it is enabled. */
  | 'CLOSED'
  /** Nobody can log in, until it is enabled. */
  | 'DISABLED';

/** How an act ended. `UNKNOWN`: the database did not answer, so that it may have been done. */
export type AuditOutcome =
  | 'FAILURE'
  | 'SUCCESS'
  | 'UNKNOWN';

/** What the audit trail records. */
export type AuditedAct =
  | 'ACCOUNT_CREATION'
  | 'ACT_CONFIRMATION'
  | 'ACT_REFUSAL'
  | 'ACT_REQUEST'
  | 'CLOSING'
  | 'CORRECTION'
  | 'DATA_EXPORT'
  | 'DISABLING'
  | 'ENABLING'
  | 'ERASURE'
  | 'E_MAIL_CHANGE'
  | 'E_MAIL_CHANGE_REQUEST'
  | 'E_MAIL_PROOF'
  | 'E_MAIL_PROOF_REQUEST'
  | 'FORWARD_AUTHENTICATION'
  | 'INVITATION'
  | 'INVITATION_RENEWAL'
  | 'INVITATION_WITHDRAWAL'
  | 'LOGIN'
  | 'LOGOUT'
  | 'MAIL_RETRY'
  | 'MANY_READINGS'
  | 'PASSKEY_ADDITION'
  | 'PASSKEY_COUNTER'
  | 'PASSKEY_REMOVAL'
  | 'PASSKEY_RENAMING'
  | 'PASSKEY_SETUP'
  | 'PASSWORD_CHANGE'
  | 'PASSWORD_RESET'
  | 'PASSWORD_RESET_REQUEST'
  | 'READING'
  | 'RECOVERY_CODES'
  | 'REGISTRATION'
  | 'RESET_LINK'
  | 'RESUBMISSION'
  | 'REVIEW'
  | 'REVOCATION'
  | 'SECOND_FACTOR_CONFIRMATION'
  | 'SECOND_FACTOR_REMOVAL'
  | 'SECOND_FACTOR_RESET'
  | 'SECOND_FACTOR_SETUP'
  | 'SERVICE_AUTHENTICATION'
  | 'SET_UP'
  | 'SET_UP_LINK'
  | 'STEP_UP'
  | 'TOKEN_REMOVAL'
  | 'UNLOCKING'
  | 'VERIFICATION_END'
  | 'VERIFICATION_NOTICE';

/** The token of a link that the command line has printed. */
export type BeginSetUpInput = {
  /** The token of the link. */
  token: string;
};

/** A challenge, and what proves the second factor. */
export type CompleteLoginInput = {
  /** The challenge of the login. */
  challenge: string;
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
};

/** Which account gets another e-mail address, and why. */
export type EmailCorrectionInput = {
  /** The id of the account. */
  account: string | number;
  /** The new e-mail address. */
  email: string;
  /** Why, in one line. The audit trail keeps it. */
  reason: string;
  /** `version` of the account, as it was read. If it has changed since, the answer is `CONFLICT`. */
  version: string | number;
};

/** A new password, and the first code of the authenticator app. */
export type FinishSetUpInput = {
  /** A code that the new app shows. */
  code: string;
  /** The new password: at least 8 characters and at most 72 bytes of UTF-8. Blanks count. It must not be a common password, nor contain the name or the e-mail address. */
  newPassword: string;
  /** The token of the link. */
  token: string;
};

/** Who is invited to register. */
export type InviteInput = {
  /** The e-mail address. No account may have it. */
  email: string;
  /** The name of the person. */
  name: string;
  /** As what. */
  role: InvitedRole;
};

/** The role of an invitation. */
export type InvitedRole =
  /** Registers with a profile and three documents. */
  | 'DOCTOR'
  /** Registers with account details only. */
  | 'PATIENT';

/** The credentials of an account. */
export type LoginInput = {
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** The e-mail address of the account, in upper or lower case. */
  email: string;
  /** The password. */
  password: string;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
};

/** Which act that waits is confirmed or declined, and why. */
export type RequestedActInput = {
  /** The id of the account. */
  account: string | number;
  /** The id of the act. */
  act: string | number;
  /** Why, in one line. The audit trail keeps it. */
  reason: string;
  /** `version` of the account, as it was read. If it has changed since, the answer is `CONFLICT`. */
  version: string | number;
};

/** Which mail to which account is sent again, and why. */
export type ResendMailInput = {
  /** The id of the account. */
  account: string | number;
  /** The id of the mail. */
  mail: string | number;
  /** Why, in one line. The audit trail keeps it. */
  reason: string;
  /** `version` of the account, as it was read. If it has changed since, the answer is `CONFLICT`. */
  version: string | number;
};

/** The role of an account. */
export type Role =
  /** Registered with a profile and three documents. */
  | 'DOCTOR'
  /** Helps people, by this API. */
  | 'OPERATOR'
  /** Registered with account details only. */
  | 'PATIENT'
  /** Looks at the documents of doctors. */
  | 'REVIEWER';

/** The password; of an account with a second factor, also what proves it. */
export type StepUpInput = {
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** In place of the password and what goes with it: what a passkey has made of the options of `passkeyConfirmOptions`. */
  credential?: Record<string, unknown> | null | undefined;
  /** The password of the account. */
  password?: string | null | undefined;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
};

/** What reviewers have decided about a doctor. */
export type VerificationStatus =
  /** The verification has ended. */
  | 'EXPIRED'
  /** The documents wait for a decision. */
  | 'PENDING'
  /** A reviewer has rejected the documents. The doctor may submit them again. */
  | 'REJECTED'
  /** A reviewer has suspended the doctor. */
  | 'SUSPENDED'
  /** A reviewer has approved the documents. */
  | 'VERIFIED';

export type SessionFieldsFragment = { token: string, operator: { id: string, name: string, role: Role } };

export type BeginSetUpMutationVariables = Exact<{
  input: BeginSetUpInput;
}>;


export type BeginSetUpMutation = { beginSetUp: { secretKey: string, url: string, svg: string } };

export type FinishSetUpMutationVariables = Exact<{
  input: FinishSetUpInput;
}>;


export type FinishSetUpMutation = { finishSetUp: { token: string, recoveryCodes: Array<string>, operator: { id: string, name: string, role: Role } } };

export type LoginMutationVariables = Exact<{
  input: LoginInput;
}>;


export type LoginMutation = { login: { token: string, operator: { id: string, name: string, role: Role } } };

export type CompleteLoginMutationVariables = Exact<{
  input: CompleteLoginInput;
}>;


export type CompleteLoginMutation = { completeLogin: { token: string, operator: { id: string, name: string, role: Role } } };

export type StepUpMutationVariables = Exact<{
  input: StepUpInput;
}>;


export type StepUpMutation = { stepUp: { token: string, operator: { id: string, name: string, role: Role } } };

export type ExportAccountMutationVariables = Exact<{
  input: AccountChangeInput;
}>;


export type ExportAccountMutation = { exportAccount: string };

export type LogoutMutationVariables = Exact<{ [key: string]: never; }>;


export type LogoutMutation = { logout: boolean };

export type OverviewQueryVariables = Exact<{ [key: string]: never; }>;


export type OverviewQuery = { overview: { waitingMails: number | null, requestedActs: number, lastBackupAt: string | null, problems: Array<string>, version: string, counts: { disabled: number, closed: number, pendingDoctors: number, oldestPendingAt: string | null, active: Array<{ role: Role, withTwoFactor: number, withoutTwoFactor: number }> } | null } };

export type ListedFieldsFragment = { id: string, name: string, email: string, role: Role, state: string, hasTwoFactor: boolean, createdAt: string | null };

export type AccountsQueryVariables = Exact<{
  search?: string | null | undefined;
  role?: Role | null | undefined;
  state?: AccountState | null | undefined;
  withoutTwoFactor?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AccountsQuery = { accounts: { nodes: Array<{ id: string, name: string, email: string, role: Role, state: string, hasTwoFactor: boolean, createdAt: string | null }>, pageInfo: { endCursor: string | null } } };

export type EventFieldsFragment = { id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null };

export type PersonFragment = { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null };

export type AccountQueryVariables = Exact<{
  id: string | number;
}>;


export type AccountQuery = { account: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } | null };

export type AuditEventsQueryVariables = Exact<{
  account?: string | number | null | undefined;
  actor?: string | number | null | undefined;
  act?: AuditedAct | null | undefined;
  outcome?: AuditOutcome | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type AuditEventsQuery = { auditEvents: { nodes: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, pageInfo: { endCursor: string | null } } };

export type WaitingActsQueryVariables = Exact<{ [key: string]: never; }>;


export type WaitingActsQuery = { waitingActs: Array<{ id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string, version: string, account: { id: string, name: string } }> };

export type DisableAccountMutationVariables = Exact<{
  input: AccountChangeInput;
}>;


export type DisableAccountMutation = { disableAccount: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type EnableAccountMutationVariables = Exact<{
  input: AccountChangeInput;
}>;


export type EnableAccountMutation = { enableAccount: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type UnlockAccountMutationVariables = Exact<{
  input: AccountChangeInput;
}>;


export type UnlockAccountMutation = { unlockAccount: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type EndSessionsMutationVariables = Exact<{
  input: AccountChangeInput;
}>;


export type EndSessionsMutation = { endSessions: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type CloseAccountMutationVariables = Exact<{
  input: AccountChangeInput;
}>;


export type CloseAccountMutation = { closeAccount: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type SendResetLinkMutationVariables = Exact<{
  input: AccountChangeInput;
}>;


export type SendResetLinkMutation = { sendResetLink: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type RemoveSecondFactorMutationVariables = Exact<{
  input: AccountChangeInput;
}>;


export type RemoveSecondFactorMutation = { removeSecondFactor: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type CorrectEmailMutationVariables = Exact<{
  input: EmailCorrectionInput;
}>;


export type CorrectEmailMutation = { correctEmail: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type ResendMailMutationVariables = Exact<{
  input: ResendMailInput;
}>;


export type ResendMailMutation = { resendMail: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type ConfirmActMutationVariables = Exact<{
  input: RequestedActInput;
}>;


export type ConfirmActMutation = { confirmAct: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type DeclineActMutationVariables = Exact<{
  input: RequestedActInput;
}>;


export type DeclineActMutation = { declineAct: { id: string, name: string, email: string, emailVerifiedAt: string | null, phone: string | null, dateOfBirth: string | null, language: string | null, role: Role, state: string, createdAt: string | null, disabledAt: string | null, erasureDueAt: string | null, version: string, guarded: Array<string>, devices: Array<{ createdAt: string, lastUsedAt: string | null, device: string | null, ip: string | null }>, secondFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, wrongCodes: number, required: boolean }, passkeys: Array<{ name: string, createdAt: string | null }>, verification: { status: VerificationStatus, until: string | null, reason: string | null } | null, mails: Array<{ id: string, kind: string, orderedAt: string, attempts: number, dueAt: string | null }>, events: Array<{ id: string, at: string, act: string, outcome: string, reason: string | null, account: string | null, actor: string | null, commandLineOperator: string | null, channel: string, ip: string, userAgent: string | null, device: string | null, count: number | null }>, requested: { id: string, act: string, email: string | null, reason: string, requestedBy: string, requestedByName: string | null, at: string } | null } };

export type OpenInvitationsQueryVariables = Exact<{ [key: string]: never; }>;


export type OpenInvitationsQuery = { openInvitations: Array<{ id: string, email: string, role: InvitedRole, name: string, expiresAt: string }> };

export type InviteMutationVariables = Exact<{
  input: InviteInput;
}>;


export type InviteMutation = { invite: { id: string } };

export type RenewInvitationMutationVariables = Exact<{
  id: string | number;
}>;


export type RenewInvitationMutation = { renewInvitation: { id: string } };

export type WithdrawInvitationMutationVariables = Exact<{
  id: string | number;
}>;


export type WithdrawInvitationMutation = { withdrawInvitation: { id: string } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const BeginSetUpDocument = new TypedDocumentString(` mutation BeginSetUp($input: BeginSetUpInput!) { beginSetUp(input: $input) { secretKey url svg } } `) as unknown as TypedDocumentString<BeginSetUpMutation, BeginSetUpMutationVariables>;
export const FinishSetUpDocument = new TypedDocumentString(` mutation FinishSetUp($input: FinishSetUpInput!) { finishSetUp(input: $input) { token recoveryCodes operator { id name role } } } `) as unknown as TypedDocumentString<FinishSetUpMutation, FinishSetUpMutationVariables>;
export const LoginDocument = new TypedDocumentString(` mutation Login($input: LoginInput!) { login(input: $input) { ...SessionFields } } fragment SessionFields on OperatorSession { token operator { id name role } }`) as unknown as TypedDocumentString<LoginMutation, LoginMutationVariables>;
export const CompleteLoginDocument = new TypedDocumentString(` mutation CompleteLogin($input: CompleteLoginInput!) { completeLogin(input: $input) { ...SessionFields } } fragment SessionFields on OperatorSession { token operator { id name role } }`) as unknown as TypedDocumentString<CompleteLoginMutation, CompleteLoginMutationVariables>;
export const StepUpDocument = new TypedDocumentString(` mutation StepUp($input: StepUpInput!) { stepUp(input: $input) { ...SessionFields } } fragment SessionFields on OperatorSession { token operator { id name role } }`) as unknown as TypedDocumentString<StepUpMutation, StepUpMutationVariables>;
export const ExportAccountDocument = new TypedDocumentString(` mutation ExportAccount($input: AccountChangeInput!) { exportAccount(input: $input) } `) as unknown as TypedDocumentString<ExportAccountMutation, ExportAccountMutationVariables>;
export const LogoutDocument = new TypedDocumentString(` mutation Logout { logout } `) as unknown as TypedDocumentString<LogoutMutation, LogoutMutationVariables>;
export const OverviewDocument = new TypedDocumentString(` query Overview { overview { counts { active { role withTwoFactor withoutTwoFactor } disabled closed pendingDoctors oldestPendingAt } waitingMails requestedActs lastBackupAt problems version } } `) as unknown as TypedDocumentString<OverviewQuery, OverviewQueryVariables>;
export const AccountsDocument = new TypedDocumentString(` query Accounts($search: String, $role: Role, $state: AccountState, $withoutTwoFactor: Boolean, $first: Int, $after: String) { accounts( search: $search role: $role state: $state withoutTwoFactor: $withoutTwoFactor first: $first after: $after ) { nodes { ...ListedFields } pageInfo { endCursor } } } fragment ListedFields on ListedAccount { id name email role state hasTwoFactor createdAt }`) as unknown as TypedDocumentString<AccountsQuery, AccountsQueryVariables>;
export const AccountDocument = new TypedDocumentString(` query Account($id: ID!) { account(id: $id) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<AccountQuery, AccountQueryVariables>;
export const AuditEventsDocument = new TypedDocumentString(` query AuditEvents($account: ID, $actor: ID, $act: AuditedAct, $outcome: AuditOutcome, $since: DateTime, $until: DateTime, $after: String) { auditEvents( account: $account actor: $actor act: $act outcome: $outcome since: $since until: $until first: 50 after: $after ) { nodes { ...EventFields } pageInfo { endCursor } } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count }`) as unknown as TypedDocumentString<AuditEventsQuery, AuditEventsQueryVariables>;
export const WaitingActsDocument = new TypedDocumentString(` query WaitingActs { waitingActs { id act email reason requestedBy requestedByName at version account { id name } } } `) as unknown as TypedDocumentString<WaitingActsQuery, WaitingActsQueryVariables>;
export const DisableAccountDocument = new TypedDocumentString(` mutation DisableAccount($input: AccountChangeInput!) { disableAccount(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<DisableAccountMutation, DisableAccountMutationVariables>;
export const EnableAccountDocument = new TypedDocumentString(` mutation EnableAccount($input: AccountChangeInput!) { enableAccount(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<EnableAccountMutation, EnableAccountMutationVariables>;
export const UnlockAccountDocument = new TypedDocumentString(` mutation UnlockAccount($input: AccountChangeInput!) { unlockAccount(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<UnlockAccountMutation, UnlockAccountMutationVariables>;
export const EndSessionsDocument = new TypedDocumentString(` mutation EndSessions($input: AccountChangeInput!) { endSessions(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<EndSessionsMutation, EndSessionsMutationVariables>;
export const CloseAccountDocument = new TypedDocumentString(` mutation CloseAccount($input: AccountChangeInput!) { closeAccount(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<CloseAccountMutation, CloseAccountMutationVariables>;
export const SendResetLinkDocument = new TypedDocumentString(` mutation SendResetLink($input: AccountChangeInput!) { sendResetLink(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<SendResetLinkMutation, SendResetLinkMutationVariables>;
export const RemoveSecondFactorDocument = new TypedDocumentString(` mutation RemoveSecondFactor($input: AccountChangeInput!) { removeSecondFactor(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<RemoveSecondFactorMutation, RemoveSecondFactorMutationVariables>;
export const CorrectEmailDocument = new TypedDocumentString(` mutation CorrectEmail($input: EmailCorrectionInput!) { correctEmail(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<CorrectEmailMutation, CorrectEmailMutationVariables>;
export const ResendMailDocument = new TypedDocumentString(` mutation ResendMail($input: ResendMailInput!) { resendMail(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<ResendMailMutation, ResendMailMutationVariables>;
export const ConfirmActDocument = new TypedDocumentString(` mutation ConfirmAct($input: RequestedActInput!) { confirmAct(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<ConfirmActMutation, ConfirmActMutationVariables>;
export const DeclineActDocument = new TypedDocumentString(` mutation DeclineAct($input: RequestedActInput!) { declineAct(input: $input) { ...Person } } fragment EventFields on AuditEvent { id at act outcome reason account actor commandLineOperator channel ip userAgent device count } fragment Person on AccountDetails { id name email emailVerifiedAt phone dateOfBirth language role state createdAt disabledAt erasureDueAt version guarded devices { createdAt lastUsedAt device ip } secondFactor { enabled confirmedAt recoveryCodesLeft wrongCodes required } passkeys { name createdAt } verification { status until reason } mails { id kind orderedAt attempts dueAt } events { ...EventFields } requested { id act email reason requestedBy requestedByName at } }`) as unknown as TypedDocumentString<DeclineActMutation, DeclineActMutationVariables>;
export const OpenInvitationsDocument = new TypedDocumentString(` query OpenInvitations { openInvitations { id email role name expiresAt } } `) as unknown as TypedDocumentString<OpenInvitationsQuery, OpenInvitationsQueryVariables>;
export const InviteDocument = new TypedDocumentString(` mutation Invite($input: InviteInput!) { invite(input: $input) { id } } `) as unknown as TypedDocumentString<InviteMutation, InviteMutationVariables>;
export const RenewInvitationDocument = new TypedDocumentString(` mutation RenewInvitation($id: ID!) { renewInvitation(id: $id) { id } } `) as unknown as TypedDocumentString<RenewInvitationMutation, RenewInvitationMutationVariables>;
export const WithdrawInvitationDocument = new TypedDocumentString(` mutation WithdrawInvitation($id: ID!) { withdrawInvitation(id: $id) { id } } `) as unknown as TypedDocumentString<WithdrawInvitationMutation, WithdrawInvitationMutationVariables>;