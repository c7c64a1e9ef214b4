import { MeDocument, type MeQuery } from '../../packages/client/src/generated/graphql.ts';
import { formatToken, generateSecret, hashSecret } from '../../src/auth/tokens/token-format.ts';
import type { AccessTokenStore } from '../../src/stores/access-tokens.ts';
import { newId } from '../../src/stores/accounts.ts';
import { execute } from './graphql-api.ts';
import { rememberToken } from './response-record.ts';
import { testClock } from './test-app.ts';

/** The header with a token. */
export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** The stored id of a token. */
export const tokenIdOf = (token: string) => token.slice(0, token.indexOf('|'));

/** The account of a token, from `me`; undefined if the token is not valid. */
export async function accountOf(url: string, token: string): Promise<MeQuery['me'] | undefined> {
  const { body } = await execute(url, MeDocument, {}, bearer(token));
  const code = body.errors?.[0]?.extensions?.code;
  if (code !== undefined && code !== 'UNAUTHENTICATED') {
    throw new Error(`me answered with ${code}`);
  }
  return body.data?.me;
}

/**
 * A token of an account with a second factor, without a login.
 * @param abilities null for all
 * @param ageMillis how long ago its owner was proven
 * @param amr how its owner was proven (RFC 8176)
 */
export async function tokenWithoutLogin(
  accessTokens: Pick<AccessTokenStore, 'insert'>,
  accountId: string,
  abilities: string[] | null = null,
  ageMillis = 0,
  amr = ['pwd', 'otp', 'mfa'],
): Promise<string> {
  const [tokenId, secret, createdAt] = [newId(), generateSecret(''), new Date(testClock.now())];
  const ends = { lastUsedAt: null, expiresAt: null, idleExpiresAt: null };
  const proof = { amr, authTime: new Date(testClock.now() - ageMillis) };
  await accessTokens.insert({
    ...{ _id: tokenId, accountId, name: 'auth-token', secretHash: hashSecret(secret), abilities },
    ...{ createdAt, ...ends, ...proof },
  });
  const token = formatToken({ tokenId, secret });
  rememberToken(token);
  return token;
}
