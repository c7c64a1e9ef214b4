export { createAuthClient } from './auth-client.ts';
export type { DocumentSource, NativeFile } from './documents.ts';
export {
  DoctorDocument,
  ErrorCode,
  ForbiddenReason,
  ReviewDecision,
  Role,
  Rule,
  VerificationStatus,
} from './generated/enums.ts';
export type {
  AuthError,
  BrokenRule,
  Challenge,
  ChallengeCode,
  ClientError,
  FieldErrors,
  FieldRules,
  GatewayError,
  Result,
  RetryCode,
} from './results.ts';
export type { Progress } from './senders.ts';
export type { StorageOption, TokenStorage } from './token-storage.ts';
export type * from './types.ts';
