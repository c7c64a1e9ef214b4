export { createGuard } from './create-guard.ts';
export { GuardError, type GuardErrorCode } from './guard-error.ts';
export type * from './types.ts';
