export { createAuthClient } from './auth-client.ts';
export type { DocumentSource, NativeFile } from './documents.ts';
export { ErrorCode, ReviewDecision, Role, VerificationStatus } from './generated/enums.ts';
export type {
  AuthError,
  Challenge,
  ChallengeCode,
  ClientError,
  FieldErrors,
  GatewayError,
  Result,
  RetryCode,
} from './results.ts';
export type { Progress } from './senders.ts';
export type { StorageOption, TokenStorage } from './token-storage.ts';
export type * from './types.ts';
