/** A document of a doctor. */
export const DoctorDocument = {
  /** The certification. */
  CERTIFICATION: 'CERTIFICATION',
  /** The diploma. */
  DIPLOMA: 'DIPLOMA',
  /** The license. */
  LICENSE: 'LICENSE'
} as const;

export type DoctorDocument = typeof DoctorDocument[keyof typeof DoctorDocument];
/** The values of `extensions.code` of an error. Later versions may add more. */
export const ErrorCode = {
  /** The request cannot be read: broken JSON, a broken multipart body, a missing header. */
  BAD_REQUEST: 'BAD_REQUEST',
  /** A field breaks a rule. `extensions.errors` has the texts by field, `extensions.rules` the rules in the same order. */
  BAD_USER_INPUT: 'BAD_USER_INPUT',
  /** Not for this caller. `extensions.reason` says why. */
  FORBIDDEN: 'FORBIDDEN',
  /** The operation is not GraphQL. */
  GRAPHQL_PARSE_FAILED: 'GRAPHQL_PARSE_FAILED',
  /** The operation does not fit this schema, or is over a limit. */
  GRAPHQL_VALIDATION_FAILED: 'GRAPHQL_VALIDATION_FAILED',
  /** The access token is valid, but a stronger or newer authentication is required. `stepUp` gives one. */
  INSUFFICIENT_USER_AUTHENTICATION: 'INSUFFICIENT_USER_AUTHENTICATION',
  /** Our fault. Give the response header `X-Request-Id` to the operators: it is in the log line with the cause. If `extensions.reason` is `unknown`, it may have happened: look again. */
  INTERNAL_SERVER_ERROR: 'INTERNAL_SERVER_ERROR',
  /** Unknown e-mail address or wrong password. No answer shows which of the two. */
  INVALID_CREDENTIALS: 'INVALID_CREDENTIALS',
  /** The address does not take this HTTP method. */
  METHOD_NOT_ALLOWED: 'METHOD_NOT_ALLOWED',
  /** There is nothing at this address, or the gateway is not set up for this operation. */
  NOT_FOUND: 'NOT_FOUND',
  /** The request does not name one of its operations. */
  OPERATION_RESOLUTION_FAILURE: 'OPERATION_RESOLUTION_FAILURE',
  /** The whole request is too large. One file that is too large is `BAD_USER_INPUT`. */
  PAYLOAD_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  /** The request has only the hash of an operation, not the operation itself. */
  PERSISTED_QUERY_NOT_SUPPORTED: 'PERSISTED_QUERY_NOT_SUPPORTED',
  /** The body of the request took too long, or stalled. */
  REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  /** Overloaded, or the database is unreachable. Try again after `extensions.retryAfterSeconds`. If `extensions.reason` is `unknown`, it may have happened: look again. */
  SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  /** Wait for `extensions.retryAfterSeconds`, then try again. */
  TOO_MANY_ATTEMPTS: 'TOO_MANY_ATTEMPTS',
  /** The password is right, and the account has a second factor. Send a code, or give `extensions.challenge` to `completeLogin`. */
  TWO_FACTOR_REQUIRED: 'TWO_FACTOR_REQUIRED',
  /** The password is right, and the account must set up a second factor: give `extensions.challenge` to `enableTwoFactor` and `confirmTwoFactor`. */
  TWO_FACTOR_SETUP_REQUIRED: 'TWO_FACTOR_SETUP_REQUIRED',
  /** No valid access token where one is required. */
  UNAUTHENTICATED: 'UNAUTHENTICATED'
} as const;

export type ErrorCode = typeof ErrorCode[keyof typeof ErrorCode];
/** The values of `extensions.reason` of an error with the code `FORBIDDEN`. Later versions may add more. */
export const ForbiddenReason = {
  /** The access token lacks an ability. */
  ability: 'ability',
  /** The e-mail address is not proven. */
  email: 'email',
  /** A page of another site has sent the request. */
  origin: 'origin',
  /** The operators of the gateway ask for a second factor. */
  policy: 'policy',
  /** Nobody may register in this role, or only who is invited. */
  registration: 'registration',
  /** The role of the account, or an account of somebody else. */
  role: 'role',
  /** The service may not read these events. */
  service: 'service',
  /** The URL of the document is not signed, or no longer valid. */
  signature: 'signature',
  /** The doctor is not verified. */
  verification: 'verification'
} as const;

export type ForbiddenReason = typeof ForbiddenReason[keyof typeof ForbiddenReason];
/** The role of an invitation. */
export const InvitedRole = {
  /** Registers with a profile and three documents. */
  DOCTOR: 'DOCTOR',
  /** Registers with account details only. */
  PATIENT: 'PATIENT'
} as const;

export type InvitedRole = typeof InvitedRole[keyof typeof InvitedRole];
/** Why a reviewer rejects. */
export const RejectionGround = {
  /** A document is no longer valid. */
  DOCUMENT_EXPIRED: 'DOCUMENT_EXPIRED',
  /** The name is not that of the documents. */
  NAME_DIFFERS: 'NAME_DIFFERS',
  /** The license number is not in the register. */
  NUMBER_NOT_FOUND: 'NUMBER_NOT_FOUND',
  /** A document cannot be read. */
  UNREADABLE: 'UNREADABLE',
  /** A document is not the one that it should be. */
  WRONG_DOCUMENT: 'WRONG_DOCUMENT'
} as const;

export type RejectionGround = typeof RejectionGround[keyof typeof RejectionGround];
/** What a reviewer can decide about a doctor. */
export const ReviewDecision = {
  /** The doctor becomes `VERIFIED`. If a verified or expired doctor has a proposal, only that is applied. */
  APPROVE: 'APPROVE',
  /** The verification of a verified doctor ends after the day `until`, or never. All that waits stays. */
  CHANGE_END: 'CHANGE_END',
  /** The doctor becomes `REJECTED`, and may submit documents again. If a verified or expired doctor has a proposal, only that is dropped. */
  REJECT: 'REJECT',
  /** The doctor becomes `SUSPENDED`, without a proposal. Only for a pending, verified or expired doctor. */
  SUSPEND: 'SUSPEND'
} as const;

export type ReviewDecision = typeof ReviewDecision[keyof typeof ReviewDecision];
/** The role of an account; set by its registration. */
export const Role = {
  /** Registered with a profile and three documents. */
  DOCTOR: 'DOCTOR',
  /** Registered with account details only. */
  PATIENT: 'PATIENT',
  /** Looks at the documents of doctors. Only an operator makes one. */
  REVIEWER: 'REVIEWER'
} as const;

export type Role = typeof Role[keyof typeof Role];
/** The values of `rule` in `extensions.rules` of an error. Later versions may add more. */
export const Rule = {
  /** Many people use this password, so attackers try it first. */
  common: 'common',
  /** The two passwords are not the same. */
  confirmed: 'confirmed',
  /** It is no day of the calendar. */
  date: 'date',
  /** It is no e-mail address. */
  email: 'email',
  /** The link, code or challenge is unknown, used or expired, or what was read has changed since. */
  expired: 'expired',
  /** It must be a file. */
  file: 'file',
  /** The file is none of the types in `limit`. */
  file_type: 'file_type',
  /** It is not of the form that the field asks for. */
  format: 'format',
  /** It is after today. */
  future: 'future',
  /** It has more than `limit` bytes of UTF-8. */
  max_bytes: 'max_bytes',
  /** It is longer than `limit` characters. */
  max_length: 'max_length',
  /** The file is larger than `limit` KiB. */
  max_size: 'max_size',
  /** It has fewer than `limit` characters. */
  min_length: 'min_length',
  /** The password contains the name or the e-mail address. */
  personal: 'personal',
  /** The field cannot be given here. */
  prohibited: 'prohibited',
  /** The field must be given. */
  required: 'required',
  /** It is what the account has already. */
  same: 'same',
  /** It is not possible in the present state of the account. */
  state: 'state',
  /** It must be a text. */
  string: 'string',
  /** Another account has it. */
  taken: 'taken',
  /** It is before the day `limit`. */
  too_early: 'too_early',
  /** The password, code or passkey is not the right one. */
  wrong: 'wrong'
} as const;

export type Rule = typeof Rule[keyof typeof Rule];
/** What reviewers have decided about a doctor. */
export const VerificationStatus = {
  /** The verification has ended. */
  EXPIRED: 'EXPIRED',
  /** The documents wait for a decision. */
  PENDING: 'PENDING',
  /** A reviewer has rejected the documents. The doctor may submit them again. */
  REJECTED: 'REJECTED',
  /** A reviewer has suspended the doctor. */
  SUSPENDED: 'SUSPENDED',
  /** A reviewer has approved the documents. */
  VERIFIED: 'VERIFIED'
} as const;

export type VerificationStatus = typeof VerificationStatus[keyof typeof VerificationStatus];