import { MeDocument, type MeQuery } from '../../packages/client/src/generated/graphql.ts';
import { execute } from './graphql-api.ts';

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
