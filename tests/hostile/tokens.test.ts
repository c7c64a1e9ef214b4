import { createHash } from 'node:crypto';
import { RevokeTokenDocument } from '../../packages/client/src/generated/graphql.ts';
import { type Api, throughEachApi } from '../support/apis.ts';
import { authenticated } from '../support/expectations.ts';
import { execute } from '../support/graphql-api.ts';
import { aPatient } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { accountOf, bearer } from '../support/session.ts';
import { useTestApp } from '../support/test-app.ts';
import { answered, leavesNothing } from './support/harmless.ts';

const app = useTestApp();

/** Spellings of the header, with T for the token. Blanks at its ends are no part of a header (RFC 9110 section 5.5). */
const TAKEN = ['Bearer T', 'bearer T', 'BEARER T', 'Bearer  T', 'Bearer T  ', ' Bearer T', 'Bearer T\t'];
const REFUSED = [
  '',
  'T',
  'Bearer',
  'BearerT',
  'Bearer:T',
  'Bearer\tT',
  'Bearer \tT',
  'Bearer%20T',
  'Token T',
  'Basic T',
  'Bear T',
  'Bearer Bearer T',
  'Bearer token=T',
  '"Bearer T"',
  'Bearer "T"',
  'Bearer <T>',
  'Bearer {"$gt":""}',
  'Bearer null',
  'Bearer T,Bearer T',
  'Bearer T, Bearer T',
  'Bearer T x',
  'Bearer x T',
  'Bearer\xa0T',
  'Bearer T\xa0',
  '\xa0Bearer T',
  'B%65arer T',
  'Bearer T%00',
];

interface Pieces {
  id: string;
  secret: string;
  /** The secret of somebody else's token. */
  foreign: string;
}

/** What may be made of somebody's token without being one. */
const FORGERIES: [name: string, forge: (pieces: Pieces) => string][] = [
  ["another token's secret", ({ id, foreign }) => `${id}|${foreign}`],
  [
    'its hash for the secret',
    ({ id, secret }) => `${id}|${createHash('sha256').update(secret).digest('hex')}`,
  ],
  ['no secret', ({ id }) => `${id}|`],
  ['no id', ({ secret }) => `|${secret}`],
  ['the id alone', ({ id }) => id],
  ['the secret alone', ({ secret }) => secret],
  ['40 characters of the secret', ({ id, secret }) => `${id}|${secret.slice(0, 40)}`],
  ['40 characters of the secret alone', ({ secret }) => secret.slice(0, 40)],
  ['two bars', ({ id, secret }) => `${id}||${secret}`],
  ['a bar at the end', ({ id, secret }) => `${id}|${secret}|`],
  ['a colon for the bar', ({ id, secret }) => `${id}:${secret}`],
  ['a broken bar', ({ id, secret }) => `${id}\xa6${secret}`],
  ['an encoded bar', ({ id, secret }) => `${id}%7C${secret}`],
  ['zeros before the id', ({ id, secret }) => `00${id}|${secret}`],
  ['the secret in upper case', ({ id, secret }) => `${id}|${secret.toUpperCase()}`],
  ['the secret cut short', ({ id, secret }) => `${id}|${secret.slice(0, -1)}`],
  ['the secret grown', ({ id, secret }) => `${id}|${secret}0`],
  ['a prefix that was not issued', ({ id, secret }) => `${id}|x${secret}`],
  ['an operator for an id', ({ secret }) => `{"$gt":""}|${secret}`],
  ['a pattern for an id', ({ secret }) => `.*|${secret}`],
  ['a key of the prototype for an id', ({ secret }) => `__proto__|${secret}`],
  ['a superscript digit', ({ id, secret }) => `\xb9${id.slice(1)}|${secret}`],
  ['base 64', ({ id, secret }) => Buffer.from(`${id}|${secret}`).toString('base64')],
  ['15,000 characters of secret', ({ id, secret }) => `${id}|${secret.repeat(300)}`],
];

throughEachApi((apiOf) => {
  const api = (): Api => apiOf(app.url);
  const issue = async () => authenticated(await api().registerPatient(aPatient())).token;

  /** Checks that a header is refused, and that the token is none the worse for it. */
  async function expectRefused(token: string, authorization: string): Promise<void> {
    const outcome = await api().logout(authorization);
    expect(outcome).toMatchObject({ ok: false, kind: 'unauthenticated', message: 'Unauthenticated.' });
    expect(outcome.http.text).not.toContain(token);
    expect(await accountOf(app.url, token)).toBeDefined();
  }

  test.each(TAKEN)('%j presents the token T', async (spelling) => {
    const token = await issue();
    expect(await api().logout(spelling.replace('T', token))).toMatchObject({ ok: true });
    expect(await accountOf(app.url, token)).toBeUndefined();
  });

  test('no other spelling presents a token', async () => {
    const token = await issue();
    await leavesNothing(app, async () => {
      for (const spelling of REFUSED) {
        await expectRefused(token, spelling.replaceAll('T', token));
      }
    });
  });

  describe('a forgery', () => {
    let token: string;
    let other: string;
    beforeAll(async () => {
      token = await issue();
      other = await issue();
    });

    test.each(FORGERIES)('a token with %s belongs to nobody', async (_name, forge) => {
      const [id = '', secret = ''] = token.split('|');
      await expectRefused(token, `Bearer ${forge({ id, secret, foreign: other.split('|')[1] ?? '' })}`);
    });
  });
});

/** Places where a token does not belong, and two headers, of which a proxy may have looked at the other. */
const PLACES: [
  name: string,
  place: (token: string) => { path?: string; headers?: Record<string, string | string[]>; body?: string },
][] = [
  ['the query string', (token) => ({ path: `?access_token=${token}&token=${token}&api_token=${token}` })],
  ['the query string, as a header', (token) => ({ path: `?Authorization=Bearer%20${token}` })],
  ['a cookie', (token) => ({ headers: { Cookie: `token=${token}; Authorization=Bearer ${token}` } })],
  [
    'headers of other names',
    (token) => ({ headers: { 'X-Access-Token': token, 'X-Authorization': `Bearer ${token}` } }),
  ],
  ['the header for proxies', (token) => ({ headers: { 'Proxy-Authorization': `Bearer ${token}` } })],
  [
    'a JSON body',
    (token) => ({
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, access_token: token }),
    }),
  ],
  [
    'a form',
    (token) => ({
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `access_token=${token}`,
    }),
  ],
  ['two headers, the first', (token) => ({ headers: { Authorization: [`Bearer ${token}`, 'Bearer x'] } })],
  ['two headers, the second', (token) => ({ headers: { Authorization: ['Bearer x', `Bearer ${token}`] } })],
  ['two headers, both', (token) => ({ headers: { Authorization: [`Bearer ${token}`, `Bearer ${token}`] } })],
];

test.each(PLACES)('the gateway ignores a token in %s', async (_name, place) => {
  const { token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
  const { path = '', headers = {}, body } = place(token);
  const request = { method: 'POST', path: `/api/v1/auth/logout${path}`, headers };
  const response = await answered(() => sendRaw(app.url, request, body));
  expect(response.status).toBe(401);
  expect(response.text).toBe('{"message":"Unauthenticated."}');
  expect(await accountOf(app.url, token)).toBeDefined();
});

describe('the id of a token to revoke', () => {
  const IDS: unknown[] = [
    '',
    ' ',
    '*',
    '__proto__',
    '{"$gt":""}',
    '\0',
    '\ud800',
    'x'.repeat(90_000),
    0,
    2 ** 53,
    true,
    null,
    1.5,
    [],
    [['']],
    {},
    { $gt: '' },
    { $regex: '.*' },
    { _bsontype: 'ObjectId', id: 'x' },
    { toString: 'x' },
  ];

  let token: string;
  beforeAll(async () => {
    token = authenticated(await restApi(app.url).registerPatient(aPatient())).token;
  });

  test.each(IDS.map((id) => [id]))('the id %.40j revokes no token', async (id) => {
    await leavesNothing(app, async () => {
      await answered(async () => {
        const { http, body } = await execute(app.url, RevokeTokenDocument, { id }, bearer(token));
        expect(body.data?.revokeToken ?? false).toBe(false);
        return http;
      });
    });
    expect(await accountOf(app.url, token)).toBeDefined();
  });
});
