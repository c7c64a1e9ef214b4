/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '../typed-document.ts';
/** A new passkey. */
export type AddPasskeyInput = {
  /** The challenge of a login that has to set up a second factor first, in place of an access token. */
  challenge?: string | null | undefined;
  /** What `navigator.credentials.create` gave, by its `toJSON()`. */
  credential: Record<string, unknown>;
  /** How its owner calls it. By default it has the name of the browser and the system. */
  name?: string | null | undefined;
};

/** A new e-mail address, and the password of the account. */
export type ChangeEmailInput = {
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** In place of the password and what goes with it: what a passkey has made of the options of `passkeyConfirmOptions`. */
  credential?: Record<string, unknown> | null | undefined;
  /** The new e-mail address. The account gets it when the link is used that is mailed there. */
  email: string;
  /** The password of the account. */
  password?: string | null | undefined;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
};

/** The current password, and a new one. */
export type ChangePasswordInput = {
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** In place of the password and what goes with it: what a passkey has made of the options of `passkeyConfirmOptions`. */
  credential?: Record<string, unknown> | null | undefined;
  /** The current password. */
  currentPassword?: string | null | undefined;
  /** The new password: at least 8 characters and at most 72 bytes of UTF-8. Blanks count. It must not be a common password, nor contain the name or the e-mail address. */
  newPassword: string;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
  /** Whether all of the account's tokens except the presented one are revoked. */
  revokeOtherTokens?: boolean | null | undefined;
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

/** The first code of the new app. */
export type ConfirmTwoFactorInput = {
  /** The challenge of a login that has to set up a second factor first, in place of an access token. */
  challenge?: string | null | undefined;
  /** A code that the new app shows. */
  code: string;
};

/** The consent to the end of an account. */
export type DeleteMyAccountInput = {
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** In place of the password and what goes with it: what a passkey has made of the options of `passkeyConfirmOptions`. */
  credential?: Record<string, unknown> | null | undefined;
  /** The password of the account. */
  password?: string | null | undefined;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
};

/** The password, and what proves the second factor. */
export type DisableTwoFactorInput = {
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** In place of the password and what goes with it: what a passkey has made of the options of `passkeyConfirmOptions`. */
  credential?: Record<string, unknown> | null | undefined;
  /** The password of the account. */
  password?: string | null | undefined;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
};

/** A document of a doctor. */
export type DoctorDocument =
  /** The certification. */
  | 'CERTIFICATION'
  /** The diploma. */
  | 'DIPLOMA'
  /** The license. */
  | 'LICENSE';

/** The password of the account; to replace an app, also what proves the second factor. */
export type EnableTwoFactorInput = {
  /** The challenge of a login that has to set up a second factor first, in place of an access token. */
  challenge?: string | null | undefined;
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** In place of the password and what goes with it: what a passkey has made of the options of `passkeyConfirmOptions`. */
  credential?: Record<string, unknown> | null | undefined;
  /** The password of the account. */
  password?: string | null | undefined;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
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

/** What a passkey has made of the options of a login. */
export type LoginWithPasskeyInput = {
  /** What `navigator.credentials.get` gave, by its `toJSON()`. */
  credential: Record<string, unknown>;
};

/** The password, and what proves the second factor of an account that has one. */
export type PasskeyAddOptionsInput = {
  /** The challenge of a login that has to set up a second factor first, in place of an access token. */
  challenge?: string | null | undefined;
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** In place of the password and what goes with it: what a passkey has made of the options of `passkeyConfirmOptions`. */
  credential?: Record<string, unknown> | null | undefined;
  /** The password of the account. */
  password?: string | null | undefined;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
};

/** A doctor's registration: the account, the practice and three documents. */
export type RegisterDoctorInput = {
  /** The certification, as a document or picture of up to 10 MiB. */
  certificationFile: null;
  /** Where the doctor works now, up to 255 characters. */
  currentInstitution?: string | null | undefined;
  /** The diploma, as a document or picture of up to 10 MiB. */
  diplomaFile: null;
  /** The e-mail address to log in with; no other account may have it. Case does not matter, and domains are compared in their ASCII form. */
  email: string;
  /** The token of an invitation. The e-mail address must be the invited one, and is then confirmed. */
  invitation?: string | null | undefined;
  /** The license, as a document or picture of up to 10 MiB. */
  licenseFile: null;
  /** The number of the license, up to 255 characters. */
  licenseNumber: string;
  /** The name of the person, up to 255 characters. */
  name: string;
  /** The password: at least 8 characters and at most 72 bytes of UTF-8. Blanks count. It must not be a common password, nor contain the name or the e-mail address. */
  password: string;
  /** A telephone number, up to 255 characters. */
  phone: string;
  /** Where patients are seen, up to 5,000 characters. */
  practiceAddress?: string | null | undefined;
  /** What the doctor published, up to 5,000 characters. */
  publications?: string | null | undefined;
  /** The field of medicine, up to 255 characters. */
  specialization: string;
  /** Where the doctor worked before, up to 5,000 characters. */
  workHistory?: string | null | undefined;
};

/** A patient's registration. */
export type RegisterPatientInput = {
  /** The date of birth, from 1900 to today. */
  dateOfBirth?: string | null | undefined;
  /** The e-mail address to log in with; no other account may have it. Case does not matter, and domains are compared in their ASCII form. */
  email: string;
  /** The token of an invitation. The e-mail address must be the invited one, and is then confirmed. */
  invitation?: string | null | undefined;
  /** The name of the person, up to 255 characters. */
  name: string;
  /** The password: at least 8 characters and at most 72 bytes of UTF-8. Blanks count. It must not be a common password, nor contain the name or the e-mail address. */
  password: string;
  /** A telephone number, up to 255 characters. */
  phone?: string | null | undefined;
};

/** Why a reviewer rejects. */
export type RejectionGround =
  /** A document is no longer valid. */
  | 'DOCUMENT_EXPIRED'
  /** The name is not that of the documents. */
  | 'NAME_DIFFERS'
  /** The license number is not in the register. */
  | 'NUMBER_NOT_FOUND'
  /** A document cannot be read. */
  | 'UNREADABLE'
  /** A document is not the one that it should be. */
  | 'WRONG_DOCUMENT';

/** The password, and what proves the second factor of an account that has one. */
export type RemovePasskeyInput = {
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** In place of the password and what goes with it: what a passkey has made of the options of `passkeyConfirmOptions`. */
  credential?: Record<string, unknown> | null | undefined;
  /** The password of the account. */
  password?: string | null | undefined;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
};

/** A new name. */
export type RenamePasskeyInput = {
  /** How its owner calls it. */
  name: string;
};

/** The password, and what proves the second factor. */
export type RenewRecoveryCodesInput = {
  /** The code of the authenticator app, for an account with a second factor. */
  code?: string | null | undefined;
  /** In place of the password and what goes with it: what a passkey has made of the options of `passkeyConfirmOptions`. */
  credential?: Record<string, unknown> | null | undefined;
  /** The password of the account. */
  password?: string | null | undefined;
  /** Or a recovery code, in place of the code. */
  recoveryCode?: string | null | undefined;
};

/** A password reset token, and a new password. */
export type ResetPasswordInput = {
  /** The new password: at least 8 characters and at most 72 bytes of UTF-8. Blanks count. It must not be a common password, nor contain the name or the e-mail address. */
  newPassword: string;
  /** The token from the link of the mail or of the operator. */
  token: string;
};

/** The documents of a doctor that the rejection asks for (`verification.documents`), or one to three to renew the verification. */
export type ResubmitDocumentsInput = {
  /** The certification, as a document or picture of up to 10 MiB. */
  certificationFile?: null | null | undefined;
  /** The diploma, as a document or picture of up to 10 MiB. */
  diplomaFile?: null | null | undefined;
  /** The license, as a document or picture of up to 10 MiB. */
  licenseFile?: null | null | undefined;
};

/** What a reviewer can decide about a doctor. */
export type ReviewDecision =
  /** The doctor becomes `VERIFIED`. If a verified or expired doctor has a proposal, only that is applied. */
  | 'APPROVE'
  /** The verification of a verified doctor ends after the day `until`, or never. All that waits stays. */
  | 'CHANGE_END'
  /** The doctor becomes `REJECTED`, and may submit documents again. If a verified or expired doctor has a proposal, only that is dropped. */
  | 'REJECT'
  /** The doctor becomes `SUSPENDED`, without a proposal. Only for a pending, verified or expired doctor. */
  | 'SUSPEND';

/** The role of an account; set by its registration. */
export type Role =
  /** Registered with a profile and three documents. */
  | 'DOCTOR'
  /** Registered with account details only. */
  | 'PATIENT'
  /** Looks at the documents of doctors. Only an operator makes one. */
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

/** What to correct. A field that is not sent stays; null empties one that may be empty. A doctor has no date of birth, and others have no profile. */
export type UpdateMyProfileInput = {
  /** Where the doctor works now, up to 255 characters. */
  currentInstitution?: string | null | undefined;
  /** The date of birth, from 1900 to today. */
  dateOfBirth?: string | null | undefined;
  /** The language of the mails: `en` or `de`. */
  language?: string | null | undefined;
  /** The number of the license, up to 255 characters. */
  licenseNumber?: string | null | undefined;
  /** The name of the person, up to 255 characters. */
  name?: string | null | undefined;
  /** A telephone number, up to 255 characters. */
  phone?: string | null | undefined;
  /** Where patients are seen, up to 5,000 characters. */
  practiceAddress?: string | null | undefined;
  /** What the doctor published, up to 5,000 characters. */
  publications?: string | null | undefined;
  /** The field of medicine, up to 255 characters. */
  specialization?: string | null | undefined;
  /** Where the doctor worked before, up to 5,000 characters. */
  workHistory?: string | null | undefined;
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

export type MeQueryVariables = Exact<{ [key: string]: never; }>;


export type MeQuery = { me: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, documents: Array<DoctorDocument>, until: string | null, isRenewable: boolean, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string, hasDocuments: boolean } | null } | null } };

export type UpdateMyProfileMutationVariables = Exact<{
  input: UpdateMyProfileInput;
}>;


export type UpdateMyProfileMutation = { updateMyProfile: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, documents: Array<DoctorDocument>, until: string | null, isRenewable: boolean, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string, hasDocuments: boolean } | null } | null } };

export type RegisterDoctorMutationVariables = Exact<{
  input: RegisterDoctorInput;
}>;


export type RegisterDoctorMutation = { registerDoctor: { token: string, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null }, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, documents: Array<DoctorDocument>, until: string | null, isRenewable: boolean, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string, hasDocuments: boolean } | null } } };

export type RegisterPatientMutationVariables = Exact<{
  input: RegisterPatientInput;
}>;


export type RegisterPatientMutation = { registerPatient: { token: string, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null } } };

export type LoginMutationVariables = Exact<{
  input: LoginInput;
}>;


export type LoginMutation = { login: { token: string, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null } } };

export type RequestEmailVerificationMutationVariables = Exact<{
  challenge?: string | null | undefined;
}>;


export type RequestEmailVerificationMutation = { requestEmailVerification: { message: string } };

export type VerifyEmailMutationVariables = Exact<{
  token: string;
}>;


export type VerifyEmailMutation = { verifyEmail: { message: string } };

export type ChangeEmailMutationVariables = Exact<{
  input: ChangeEmailInput;
}>;


export type ChangeEmailMutation = { changeEmail: { message: string } };

export type InvitationQueryVariables = Exact<{
  token: string;
}>;


export type InvitationQuery = { invitation: { email: string, role: InvitedRole, name: string, expiresAt: string } };

export type AccountFieldsFragment = { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null };

export type DoctorProfileFieldsFragment = { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, documents: Array<DoctorDocument>, until: string | null, isRenewable: boolean, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string, hasDocuments: boolean } | null };

export type MyTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type MyTokensQuery = { myTokens: Array<{ id: string, name: string, abilities: Array<string> | null, createdAt: string, lastUsedAt: string | null, expiresAt: string | null, device: string | null, ip: string | null, current: boolean }> };

export type ExportMyDataQueryVariables = Exact<{ [key: string]: never; }>;


export type ExportMyDataQuery = { exportMyData: { generatedAt: string, isTruncated: boolean, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string | null, updatedAt: string | null, emailVerifiedAt: string | null, disabledAt: string | null, erasureDueAt: string | null, language: string | null, knownNetworks: number, knownDevices: Array<string> }, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, createdAt: string, resubmittedLicenseFileUrl: string | null, resubmittedDiplomaFileUrl: string | null, resubmittedCertificationUrl: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, documents: Array<DoctorDocument>, until: string | null, isRenewable: boolean, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string, hasDocuments: boolean } | null } | null, tokens: Array<{ id: string, name: string, abilities: Array<string> | null, createdAt: string | null, lastUsedAt: string | null, expiresAt: string | null, device: string | null, ip: string | null, isImported: boolean }>, passwordResets: Array<{ expiresAt: string | null }>, emailLinks: Array<{ newEmail: string | null, expiresAt: string | null }>, secondFactor: { confirmedAt: string | null, recoveryCodesLeft: number } | null, passkeys: Array<{ id: string, credentialId: string, name: string, createdAt: string | null, lastUsedAt: string | null, backedUp: boolean }>, invitations: Array<{ email: string, role: InvitedRole, name: string, expiresAt: string }>, mails: Array<{ kind: string, orderedAt: string | null }>, events: Array<{ act: string, outcome: string, at: string, channel: string, ip: string | null, userAgent: string | null, count: number, lastAt: string }> } };

export type RevokeTokenMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeTokenMutation = { revokeToken: boolean };

export type RevokeOtherTokensMutationVariables = Exact<{ [key: string]: never; }>;


export type RevokeOtherTokensMutation = { revokeOtherTokens: number };

export type LogoutMutationVariables = Exact<{ [key: string]: never; }>;


export type LogoutMutation = { logout: { message: string } };

export type DeleteMyAccountMutationVariables = Exact<{
  input: DeleteMyAccountInput;
}>;


export type DeleteMyAccountMutation = { deleteMyAccount: { message: string, erasedAfter: string } };

export type ChangePasswordMutationVariables = Exact<{
  input: ChangePasswordInput;
}>;


export type ChangePasswordMutation = { changePassword: { message: string, revokedTokens: number } };

export type PasskeyLoginOptionsQueryVariables = Exact<{ [key: string]: never; }>;


export type PasskeyLoginOptionsQuery = { passkeyLoginOptions: { options: Record<string, unknown> } };

export type LoginWithPasskeyMutationVariables = Exact<{
  input: LoginWithPasskeyInput;
}>;


export type LoginWithPasskeyMutation = { loginWithPasskey: { token: string, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null } } };

export type PasskeyConfirmOptionsQueryVariables = Exact<{ [key: string]: never; }>;


export type PasskeyConfirmOptionsQuery = { passkeyConfirmOptions: { options: Record<string, unknown> } };

export type PasskeyAddOptionsMutationVariables = Exact<{
  input: PasskeyAddOptionsInput;
}>;


export type PasskeyAddOptionsMutation = { passkeyAddOptions: { options: Record<string, unknown> } };

export type AddPasskeyMutationVariables = Exact<{
  input: AddPasskeyInput;
}>;


export type AddPasskeyMutation = { addPasskey: { id: string, credentialId: string, name: string, createdAt: string | null, lastUsedAt: string | null, backedUp: boolean } };

export type MyPasskeysQueryVariables = Exact<{ [key: string]: never; }>;


export type MyPasskeysQuery = { myPasskeys: { userHandle: string | null, passkeys: Array<{ id: string, credentialId: string, name: string, createdAt: string | null, lastUsedAt: string | null, backedUp: boolean }> } };

export type RenamePasskeyMutationVariables = Exact<{
  input: RenamePasskeyInput;
  id: string | number;
}>;


export type RenamePasskeyMutation = { renamePasskey: { id: string, credentialId: string, name: string, createdAt: string | null, lastUsedAt: string | null, backedUp: boolean } };

export type RemovePasskeyMutationVariables = Exact<{
  input: RemovePasskeyInput;
  id: string | number;
}>;


export type RemovePasskeyMutation = { removePasskey: { message: string } };

export type RequestPasswordResetMutationVariables = Exact<{
  email: string;
}>;


export type RequestPasswordResetMutation = { requestPasswordReset: { message: string } };

export type ResetPasswordMutationVariables = Exact<{
  input: ResetPasswordInput;
}>;


export type ResetPasswordMutation = { resetPassword: { message: string } };

export type LicenseFitFieldsFragment = { rule: string | null, source: string | null, lookupUrl: string | null };

export type ReviewedDoctorFieldsFragment = { revision: number, submittedAt: string, isDisabled: boolean, isReasonMailed: boolean, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null }, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, documents: Array<DoctorDocument>, until: string | null, isRenewable: boolean, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string, hasDocuments: boolean } | null }, newDocuments: { licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string } | null, licenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null, proposedLicenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null };

export type DoctorsForReviewQueryVariables = Exact<{
  status?: VerificationStatus | null | undefined;
  proposals?: boolean | null | undefined;
  ending?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type DoctorsForReviewQuery = { doctorsForReview: { edges: Array<{ cursor: string, node: { revision: number, submittedAt: string, isDisabled: boolean, isReasonMailed: boolean, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null }, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, documents: Array<DoctorDocument>, until: string | null, isRenewable: boolean, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string, hasDocuments: boolean } | null }, newDocuments: { licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string } | null, licenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null, proposedLicenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null } }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type DoctorForReviewQueryVariables = Exact<{
  id: string | number;
}>;


export type DoctorForReviewQuery = { doctorForReview: { revision: number, submittedAt: string, isDisabled: boolean, isReasonMailed: boolean, others: Array<{ id: string, name: string, status: VerificationStatus, isDisabled: boolean, hasSameLicenseNumber: boolean, hasSameDocument: boolean }> | null, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null }, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, documents: Array<DoctorDocument>, until: string | null, isRenewable: boolean, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string, hasDocuments: boolean } | null }, newDocuments: { licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string } | null, licenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null, proposedLicenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null } };

export type DecideOnDoctorMutationVariables = Exact<{
  id: string | number;
  revision: number;
  decision: ReviewDecision;
  reason?: string | null | undefined;
  documents?: Array<DoctorDocument> | DoctorDocument | null | undefined;
  grounds?: Array<RejectionGround> | RejectionGround | null | undefined;
  until?: string | null | undefined;
}>;


export type DecideOnDoctorMutation = { decideOnDoctor: { revision: number, submittedAt: string, isDisabled: boolean, isReasonMailed: boolean, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null }, profile: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, documents: Array<DoctorDocument>, until: string | null, isRenewable: boolean, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string, hasDocuments: boolean } | null }, newDocuments: { licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string } | null, licenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null, proposedLicenseFit: { rule: string | null, source: string | null, lookupUrl: string | null } | null } };

export type ResubmitDocumentsMutationVariables = Exact<{
  input: ResubmitDocumentsInput;
}>;


export type ResubmitDocumentsMutation = { resubmitDocuments: { specialization: string, licenseNumber: string, licenseFileUrl: string, diplomaFileUrl: string, certificationUrl: string | null, currentInstitution: string | null, workHistory: string | null, publications: string | null, practiceAddress: string | null, verification: { status: VerificationStatus, decidedAt: string | null, reason: string | null, documents: Array<DoctorDocument>, until: string | null, isRenewable: boolean, grounds: Array<RejectionGround> }, proposal: { name: string | null, specialization: string | null, licenseNumber: string | null, submittedAt: string, hasDocuments: boolean } | null } };

export type CompleteLoginMutationVariables = Exact<{
  input: CompleteLoginInput;
}>;


export type CompleteLoginMutation = { completeLogin: { token: string, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null } } };

export type MyTwoFactorQueryVariables = Exact<{ [key: string]: never; }>;


export type MyTwoFactorQuery = { myTwoFactor: { enabled: boolean, confirmedAt: string | null, recoveryCodesLeft: number, required: boolean } };

export type EnableTwoFactorMutationVariables = Exact<{
  input: EnableTwoFactorInput;
}>;


export type EnableTwoFactorMutation = { enableTwoFactor: { secretKey: string, url: string, svg: string } };

export type ConfirmTwoFactorMutationVariables = Exact<{
  input: ConfirmTwoFactorInput;
}>;


export type ConfirmTwoFactorMutation = { confirmTwoFactor: { recoveryCodes: Array<string>, token: string } };

export type RenewRecoveryCodesMutationVariables = Exact<{
  input: RenewRecoveryCodesInput;
}>;


export type RenewRecoveryCodesMutation = { renewRecoveryCodes: { recoveryCodes: Array<string> } };

export type DisableTwoFactorMutationVariables = Exact<{
  input: DisableTwoFactorInput;
}>;


export type DisableTwoFactorMutation = { disableTwoFactor: { message: string } };

export type StepUpMutationVariables = Exact<{
  input: StepUpInput;
}>;


export type StepUpMutation = { stepUp: { token: string, account: { id: string, name: string, email: string, phone: string | null, dateOfBirth: string | null, role: Role, createdAt: string, emailVerifiedAt: string | null } } };

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
export const AccountFieldsFragmentDoc = new TypedDocumentString(`
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}
    `, {"fragmentName":"AccountFields"}) as unknown as TypedDocumentString<AccountFieldsFragment, unknown>;
export const DoctorProfileFieldsFragmentDoc = new TypedDocumentString(`
    fragment DoctorProfileFields on DoctorProfile {
  specialization
  licenseNumber
  licenseFileUrl
  diplomaFileUrl
  certificationUrl
  verification {
    status
    decidedAt
    reason
    documents
    until
    isRenewable
    grounds
  }
  proposal {
    name
    specialization
    licenseNumber
    submittedAt
    hasDocuments
  }
  currentInstitution
  workHistory
  publications
  practiceAddress
}
    `, {"fragmentName":"DoctorProfileFields"}) as unknown as TypedDocumentString<DoctorProfileFieldsFragment, unknown>;
export const LicenseFitFieldsFragmentDoc = new TypedDocumentString(`
    fragment LicenseFitFields on LicenseFit {
  rule
  source
  lookupUrl
}
    `, {"fragmentName":"LicenseFitFields"}) as unknown as TypedDocumentString<LicenseFitFieldsFragment, unknown>;
export const ReviewedDoctorFieldsFragmentDoc = new TypedDocumentString(`
    fragment ReviewedDoctorFields on ReviewedDoctor {
  account {
    ...AccountFields
  }
  profile {
    ...DoctorProfileFields
  }
  revision
  submittedAt
  newDocuments {
    licenseFileUrl
    diplomaFileUrl
    certificationUrl
  }
  isDisabled
  isReasonMailed
  licenseFit {
    ...LicenseFitFields
  }
  proposedLicenseFit {
    ...LicenseFitFields
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}
fragment DoctorProfileFields on DoctorProfile {
  specialization
  licenseNumber
  licenseFileUrl
  diplomaFileUrl
  certificationUrl
  verification {
    status
    decidedAt
    reason
    documents
    until
    isRenewable
    grounds
  }
  proposal {
    name
    specialization
    licenseNumber
    submittedAt
    hasDocuments
  }
  currentInstitution
  workHistory
  publications
  practiceAddress
}
fragment LicenseFitFields on LicenseFit {
  rule
  source
  lookupUrl
}`, {"fragmentName":"ReviewedDoctorFields"}) as unknown as TypedDocumentString<ReviewedDoctorFieldsFragment, unknown>;
export const MeDocument = new TypedDocumentString(`
    query Me {
  me {
    ...AccountFields
    profile {
      ...DoctorProfileFields
    }
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}
fragment DoctorProfileFields on DoctorProfile {
  specialization
  licenseNumber
  licenseFileUrl
  diplomaFileUrl
  certificationUrl
  verification {
    status
    decidedAt
    reason
    documents
    until
    isRenewable
    grounds
  }
  proposal {
    name
    specialization
    licenseNumber
    submittedAt
    hasDocuments
  }
  currentInstitution
  workHistory
  publications
  practiceAddress
}`) as unknown as TypedDocumentString<MeQuery, MeQueryVariables>;
export const UpdateMyProfileDocument = new TypedDocumentString(`
    mutation UpdateMyProfile($input: UpdateMyProfileInput!) {
  updateMyProfile(input: $input) {
    ...AccountFields
    profile {
      ...DoctorProfileFields
    }
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}
fragment DoctorProfileFields on DoctorProfile {
  specialization
  licenseNumber
  licenseFileUrl
  diplomaFileUrl
  certificationUrl
  verification {
    status
    decidedAt
    reason
    documents
    until
    isRenewable
    grounds
  }
  proposal {
    name
    specialization
    licenseNumber
    submittedAt
    hasDocuments
  }
  currentInstitution
  workHistory
  publications
  practiceAddress
}`) as unknown as TypedDocumentString<UpdateMyProfileMutation, UpdateMyProfileMutationVariables>;
export const RegisterDoctorDocument = new TypedDocumentString(`
    mutation RegisterDoctor($input: RegisterDoctorInput!) {
  registerDoctor(input: $input) {
    account {
      ...AccountFields
    }
    profile {
      ...DoctorProfileFields
    }
    token
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}
fragment DoctorProfileFields on DoctorProfile {
  specialization
  licenseNumber
  licenseFileUrl
  diplomaFileUrl
  certificationUrl
  verification {
    status
    decidedAt
    reason
    documents
    until
    isRenewable
    grounds
  }
  proposal {
    name
    specialization
    licenseNumber
    submittedAt
    hasDocuments
  }
  currentInstitution
  workHistory
  publications
  practiceAddress
}`) as unknown as TypedDocumentString<RegisterDoctorMutation, RegisterDoctorMutationVariables>;
export const RegisterPatientDocument = new TypedDocumentString(`
    mutation RegisterPatient($input: RegisterPatientInput!) {
  registerPatient(input: $input) {
    account {
      ...AccountFields
    }
    token
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}`) as unknown as TypedDocumentString<RegisterPatientMutation, RegisterPatientMutationVariables>;
export const LoginDocument = new TypedDocumentString(`
    mutation Login($input: LoginInput!) {
  login(input: $input) {
    account {
      ...AccountFields
    }
    token
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}`) as unknown as TypedDocumentString<LoginMutation, LoginMutationVariables>;
export const RequestEmailVerificationDocument = new TypedDocumentString(`
    mutation RequestEmailVerification($challenge: String) {
  requestEmailVerification(challenge: $challenge) {
    message
  }
}
    `) as unknown as TypedDocumentString<RequestEmailVerificationMutation, RequestEmailVerificationMutationVariables>;
export const VerifyEmailDocument = new TypedDocumentString(`
    mutation VerifyEmail($token: String!) {
  verifyEmail(token: $token) {
    message
  }
}
    `) as unknown as TypedDocumentString<VerifyEmailMutation, VerifyEmailMutationVariables>;
export const ChangeEmailDocument = new TypedDocumentString(`
    mutation ChangeEmail($input: ChangeEmailInput!) {
  changeEmail(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<ChangeEmailMutation, ChangeEmailMutationVariables>;
export const InvitationDocument = new TypedDocumentString(`
    query Invitation($token: String!) {
  invitation(token: $token) {
    email
    role
    name
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<InvitationQuery, InvitationQueryVariables>;
export const MyTokensDocument = new TypedDocumentString(`
    query MyTokens {
  myTokens {
    id
    name
    abilities
    createdAt
    lastUsedAt
    expiresAt
    device
    ip
    current
  }
}
    `) as unknown as TypedDocumentString<MyTokensQuery, MyTokensQueryVariables>;
export const ExportMyDataDocument = new TypedDocumentString(`
    query ExportMyData {
  exportMyData {
    generatedAt
    account {
      id
      name
      email
      phone
      dateOfBirth
      role
      createdAt
      updatedAt
      emailVerifiedAt
      disabledAt
      erasureDueAt
      language
      knownNetworks
      knownDevices
    }
    profile {
      specialization
      licenseNumber
      licenseFileUrl
      diplomaFileUrl
      certificationUrl
      verification {
        status
        decidedAt
        reason
        documents
        until
        isRenewable
        grounds
      }
      proposal {
        name
        specialization
        licenseNumber
        submittedAt
        hasDocuments
      }
      currentInstitution
      workHistory
      publications
      practiceAddress
      createdAt
      resubmittedLicenseFileUrl
      resubmittedDiplomaFileUrl
      resubmittedCertificationUrl
    }
    tokens {
      id
      name
      abilities
      createdAt
      lastUsedAt
      expiresAt
      device
      ip
      isImported
    }
    passwordResets {
      expiresAt
    }
    emailLinks {
      newEmail
      expiresAt
    }
    secondFactor {
      confirmedAt
      recoveryCodesLeft
    }
    passkeys {
      id
      credentialId
      name
      createdAt
      lastUsedAt
      backedUp
    }
    invitations {
      email
      role
      name
      expiresAt
    }
    mails {
      kind
      orderedAt
    }
    events {
      act
      outcome
      at
      channel
      ip
      userAgent
      count
      lastAt
    }
    isTruncated
  }
}
    `) as unknown as TypedDocumentString<ExportMyDataQuery, ExportMyDataQueryVariables>;
export const RevokeTokenDocument = new TypedDocumentString(`
    mutation RevokeToken($id: ID!) {
  revokeToken(id: $id)
}
    `) as unknown as TypedDocumentString<RevokeTokenMutation, RevokeTokenMutationVariables>;
export const RevokeOtherTokensDocument = new TypedDocumentString(`
    mutation RevokeOtherTokens {
  revokeOtherTokens
}
    `) as unknown as TypedDocumentString<RevokeOtherTokensMutation, RevokeOtherTokensMutationVariables>;
export const LogoutDocument = new TypedDocumentString(`
    mutation Logout {
  logout {
    message
  }
}
    `) as unknown as TypedDocumentString<LogoutMutation, LogoutMutationVariables>;
export const DeleteMyAccountDocument = new TypedDocumentString(`
    mutation DeleteMyAccount($input: DeleteMyAccountInput!) {
  deleteMyAccount(input: $input) {
    message
    erasedAfter
  }
}
    `) as unknown as TypedDocumentString<DeleteMyAccountMutation, DeleteMyAccountMutationVariables>;
export const ChangePasswordDocument = new TypedDocumentString(`
    mutation ChangePassword($input: ChangePasswordInput!) {
  changePassword(input: $input) {
    message
    revokedTokens
  }
}
    `) as unknown as TypedDocumentString<ChangePasswordMutation, ChangePasswordMutationVariables>;
export const PasskeyLoginOptionsDocument = new TypedDocumentString(`
    query PasskeyLoginOptions {
  passkeyLoginOptions {
    options
  }
}
    `) as unknown as TypedDocumentString<PasskeyLoginOptionsQuery, PasskeyLoginOptionsQueryVariables>;
export const LoginWithPasskeyDocument = new TypedDocumentString(`
    mutation LoginWithPasskey($input: LoginWithPasskeyInput!) {
  loginWithPasskey(input: $input) {
    account {
      ...AccountFields
    }
    token
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}`) as unknown as TypedDocumentString<LoginWithPasskeyMutation, LoginWithPasskeyMutationVariables>;
export const PasskeyConfirmOptionsDocument = new TypedDocumentString(`
    query PasskeyConfirmOptions {
  passkeyConfirmOptions {
    options
  }
}
    `) as unknown as TypedDocumentString<PasskeyConfirmOptionsQuery, PasskeyConfirmOptionsQueryVariables>;
export const PasskeyAddOptionsDocument = new TypedDocumentString(`
    mutation PasskeyAddOptions($input: PasskeyAddOptionsInput!) {
  passkeyAddOptions(input: $input) {
    options
  }
}
    `) as unknown as TypedDocumentString<PasskeyAddOptionsMutation, PasskeyAddOptionsMutationVariables>;
export const AddPasskeyDocument = new TypedDocumentString(`
    mutation AddPasskey($input: AddPasskeyInput!) {
  addPasskey(input: $input) {
    id
    credentialId
    name
    createdAt
    lastUsedAt
    backedUp
  }
}
    `) as unknown as TypedDocumentString<AddPasskeyMutation, AddPasskeyMutationVariables>;
export const MyPasskeysDocument = new TypedDocumentString(`
    query MyPasskeys {
  myPasskeys {
    userHandle
    passkeys {
      id
      credentialId
      name
      createdAt
      lastUsedAt
      backedUp
    }
  }
}
    `) as unknown as TypedDocumentString<MyPasskeysQuery, MyPasskeysQueryVariables>;
export const RenamePasskeyDocument = new TypedDocumentString(`
    mutation RenamePasskey($input: RenamePasskeyInput!, $id: ID!) {
  renamePasskey(input: $input, id: $id) {
    id
    credentialId
    name
    createdAt
    lastUsedAt
    backedUp
  }
}
    `) as unknown as TypedDocumentString<RenamePasskeyMutation, RenamePasskeyMutationVariables>;
export const RemovePasskeyDocument = new TypedDocumentString(`
    mutation RemovePasskey($input: RemovePasskeyInput!, $id: ID!) {
  removePasskey(input: $input, id: $id) {
    message
  }
}
    `) as unknown as TypedDocumentString<RemovePasskeyMutation, RemovePasskeyMutationVariables>;
export const RequestPasswordResetDocument = new TypedDocumentString(`
    mutation RequestPasswordReset($email: String!) {
  requestPasswordReset(email: $email) {
    message
  }
}
    `) as unknown as TypedDocumentString<RequestPasswordResetMutation, RequestPasswordResetMutationVariables>;
export const ResetPasswordDocument = new TypedDocumentString(`
    mutation ResetPassword($input: ResetPasswordInput!) {
  resetPassword(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<ResetPasswordMutation, ResetPasswordMutationVariables>;
export const DoctorsForReviewDocument = new TypedDocumentString(`
    query DoctorsForReview($status: VerificationStatus, $proposals: Boolean, $ending: Boolean, $first: Int, $after: String) {
  doctorsForReview(
    status: $status
    proposals: $proposals
    ending: $ending
    first: $first
    after: $after
  ) {
    edges {
      cursor
      node {
        ...ReviewedDoctorFields
      }
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}
fragment DoctorProfileFields on DoctorProfile {
  specialization
  licenseNumber
  licenseFileUrl
  diplomaFileUrl
  certificationUrl
  verification {
    status
    decidedAt
    reason
    documents
    until
    isRenewable
    grounds
  }
  proposal {
    name
    specialization
    licenseNumber
    submittedAt
    hasDocuments
  }
  currentInstitution
  workHistory
  publications
  practiceAddress
}
fragment LicenseFitFields on LicenseFit {
  rule
  source
  lookupUrl
}
fragment ReviewedDoctorFields on ReviewedDoctor {
  account {
    ...AccountFields
  }
  profile {
    ...DoctorProfileFields
  }
  revision
  submittedAt
  newDocuments {
    licenseFileUrl
    diplomaFileUrl
    certificationUrl
  }
  isDisabled
  isReasonMailed
  licenseFit {
    ...LicenseFitFields
  }
  proposedLicenseFit {
    ...LicenseFitFields
  }
}`) as unknown as TypedDocumentString<DoctorsForReviewQuery, DoctorsForReviewQueryVariables>;
export const DoctorForReviewDocument = new TypedDocumentString(`
    query DoctorForReview($id: ID!) {
  doctorForReview(id: $id) {
    ...ReviewedDoctorFields
    others {
      id
      name
      status
      isDisabled
      hasSameLicenseNumber
      hasSameDocument
    }
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}
fragment DoctorProfileFields on DoctorProfile {
  specialization
  licenseNumber
  licenseFileUrl
  diplomaFileUrl
  certificationUrl
  verification {
    status
    decidedAt
    reason
    documents
    until
    isRenewable
    grounds
  }
  proposal {
    name
    specialization
    licenseNumber
    submittedAt
    hasDocuments
  }
  currentInstitution
  workHistory
  publications
  practiceAddress
}
fragment LicenseFitFields on LicenseFit {
  rule
  source
  lookupUrl
}
fragment ReviewedDoctorFields on ReviewedDoctor {
  account {
    ...AccountFields
  }
  profile {
    ...DoctorProfileFields
  }
  revision
  submittedAt
  newDocuments {
    licenseFileUrl
    diplomaFileUrl
    certificationUrl
  }
  isDisabled
  isReasonMailed
  licenseFit {
    ...LicenseFitFields
  }
  proposedLicenseFit {
    ...LicenseFitFields
  }
}`) as unknown as TypedDocumentString<DoctorForReviewQuery, DoctorForReviewQueryVariables>;
export const DecideOnDoctorDocument = new TypedDocumentString(`
    mutation DecideOnDoctor($id: ID!, $revision: Int!, $decision: ReviewDecision!, $reason: String, $documents: [DoctorDocument!], $grounds: [RejectionGround!], $until: Date) {
  decideOnDoctor(
    id: $id
    revision: $revision
    decision: $decision
    reason: $reason
    documents: $documents
    grounds: $grounds
    until: $until
  ) {
    ...ReviewedDoctorFields
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}
fragment DoctorProfileFields on DoctorProfile {
  specialization
  licenseNumber
  licenseFileUrl
  diplomaFileUrl
  certificationUrl
  verification {
    status
    decidedAt
    reason
    documents
    until
    isRenewable
    grounds
  }
  proposal {
    name
    specialization
    licenseNumber
    submittedAt
    hasDocuments
  }
  currentInstitution
  workHistory
  publications
  practiceAddress
}
fragment LicenseFitFields on LicenseFit {
  rule
  source
  lookupUrl
}
fragment ReviewedDoctorFields on ReviewedDoctor {
  account {
    ...AccountFields
  }
  profile {
    ...DoctorProfileFields
  }
  revision
  submittedAt
  newDocuments {
    licenseFileUrl
    diplomaFileUrl
    certificationUrl
  }
  isDisabled
  isReasonMailed
  licenseFit {
    ...LicenseFitFields
  }
  proposedLicenseFit {
    ...LicenseFitFields
  }
}`) as unknown as TypedDocumentString<DecideOnDoctorMutation, DecideOnDoctorMutationVariables>;
export const ResubmitDocumentsDocument = new TypedDocumentString(`
    mutation ResubmitDocuments($input: ResubmitDocumentsInput!) {
  resubmitDocuments(input: $input) {
    ...DoctorProfileFields
  }
}
    fragment DoctorProfileFields on DoctorProfile {
  specialization
  licenseNumber
  licenseFileUrl
  diplomaFileUrl
  certificationUrl
  verification {
    status
    decidedAt
    reason
    documents
    until
    isRenewable
    grounds
  }
  proposal {
    name
    specialization
    licenseNumber
    submittedAt
    hasDocuments
  }
  currentInstitution
  workHistory
  publications
  practiceAddress
}`) as unknown as TypedDocumentString<ResubmitDocumentsMutation, ResubmitDocumentsMutationVariables>;
export const CompleteLoginDocument = new TypedDocumentString(`
    mutation CompleteLogin($input: CompleteLoginInput!) {
  completeLogin(input: $input) {
    account {
      ...AccountFields
    }
    token
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}`) as unknown as TypedDocumentString<CompleteLoginMutation, CompleteLoginMutationVariables>;
export const MyTwoFactorDocument = new TypedDocumentString(`
    query MyTwoFactor {
  myTwoFactor {
    enabled
    confirmedAt
    recoveryCodesLeft
    required
  }
}
    `) as unknown as TypedDocumentString<MyTwoFactorQuery, MyTwoFactorQueryVariables>;
export const EnableTwoFactorDocument = new TypedDocumentString(`
    mutation EnableTwoFactor($input: EnableTwoFactorInput!) {
  enableTwoFactor(input: $input) {
    secretKey
    url
    svg
  }
}
    `) as unknown as TypedDocumentString<EnableTwoFactorMutation, EnableTwoFactorMutationVariables>;
export const ConfirmTwoFactorDocument = new TypedDocumentString(`
    mutation ConfirmTwoFactor($input: ConfirmTwoFactorInput!) {
  confirmTwoFactor(input: $input) {
    recoveryCodes
    token
  }
}
    `) as unknown as TypedDocumentString<ConfirmTwoFactorMutation, ConfirmTwoFactorMutationVariables>;
export const RenewRecoveryCodesDocument = new TypedDocumentString(`
    mutation RenewRecoveryCodes($input: RenewRecoveryCodesInput!) {
  renewRecoveryCodes(input: $input) {
    recoveryCodes
  }
}
    `) as unknown as TypedDocumentString<RenewRecoveryCodesMutation, RenewRecoveryCodesMutationVariables>;
export const DisableTwoFactorDocument = new TypedDocumentString(`
    mutation DisableTwoFactor($input: DisableTwoFactorInput!) {
  disableTwoFactor(input: $input) {
    message
  }
}
    `) as unknown as TypedDocumentString<DisableTwoFactorMutation, DisableTwoFactorMutationVariables>;
export const StepUpDocument = new TypedDocumentString(`
    mutation StepUp($input: StepUpInput!) {
  stepUp(input: $input) {
    account {
      ...AccountFields
    }
    token
  }
}
    fragment AccountFields on Account {
  id
  name
  email
  phone
  dateOfBirth
  role
  createdAt
  emailVerifiedAt
}`) as unknown as TypedDocumentString<StepUpMutation, StepUpMutationVariables>;