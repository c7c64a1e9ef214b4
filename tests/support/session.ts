import { MeDocument, type MeQuery } from '../../packages/client/src/generated/graphql.ts';
import { execute } from './graphql-door.ts';

/** The header that a token is sent in. */
export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** The id of a token, as the service stores it. */
export const tokenIdOf = (token: string) => token.slice(0, token.indexOf('|'));

/** The account that a token belongs to, as the service says; undefined where it honours no such token. */
export async function accountOf(url: string, token: string): Promise<MeQuery['me'] | undefined> {
  const { body } = await execute(url, MeDocument, {}, bearer(token));
  const code = body.errors?.[0]?.extensions?.code;
  if (code !== undefined && code !== 'UNAUTHENTICATED') {
    throw new Error(`me answered with ${code}`);
  }
  return body.data?.me;
}
