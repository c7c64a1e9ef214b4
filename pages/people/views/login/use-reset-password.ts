import type { ResetPasswordInput, UploadOptions } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { leave } from '../../session/leave.ts';

/** Resets a password. It revokes all tokens of the account, and that of this page may be one of them. */
export function useResetPassword() {
  const client = useAuth();
  return (input: ResetPasswordInput, { signal }: UploadOptions) =>
    leave(async () => {
      const result = await client.password.reset(input, { signal });
      if (result.ok) {
        client.token = null;
      }
      return result;
    });
}
