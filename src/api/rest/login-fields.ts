/**
 * Compares a number as its text, as the legacy service did: `{"password":12345678}` is the password `12345678`, right or
 * wrong. Only the REST login does so. A new password must be a text, and so must every password in GraphQL.
 * @param body of a login
 */
export function withTextPassword(body: unknown): unknown {
  const { password }: { password?: unknown } = Object(body);
  return typeof password === 'number' ? { ...Object(body), password: String(password) } : body;
}
