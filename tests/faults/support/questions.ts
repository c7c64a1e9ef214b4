import { jsonOf, sendJson } from '../../support/http.ts';

interface Me {
  data?: { me: { email: string } };
}

/** Asks for the account of a token: the cheapest request that reads the database. */
export async function me(url: string, token: string): Promise<{ email: string }> {
  const headers = { Authorization: `Bearer ${token}` };
  const http = await sendJson(`${url}/graphql`, { query: '{ me { email } }' }, headers);
  const { data } = jsonOf<Me>(http);
  if (!data) {
    throw new Error(`no answer: ${http.text}`);
  }
  return data.me;
}
