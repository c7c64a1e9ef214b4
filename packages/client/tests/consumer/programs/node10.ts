import client = require('@auth-gateway/client');

/** Compiles only if the old resolution finds the types of the package, and not `any`. */
async function register(email: string): Promise<client.FieldErrors<'email'> | string> {
  const { registerPatient } = client.createAuthClient({ url: 'https://auth.example.org' });
  // @ts-expect-error: a password is required
  await registerPatient({ name: 'Old', email });
  const result = await registerPatient({ name: 'Old', email, password: 'correct horse' });
  if (result.ok) {
    return result.data.account.id;
  }
  return result.error.code === client.ErrorCode.BAD_USER_INPUT ? result.error.fields : result.error.message;
}

export = register;
