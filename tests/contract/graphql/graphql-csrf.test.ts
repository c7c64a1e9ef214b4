import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { graphqlApi, PREFLIGHT } from '../../support/graphql-api.ts';
import { jsonOf, send } from '../../support/http.ts';
import { openForm, sendForm } from '../../support/multipart.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { answerTo } from '../../support/raw-http.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

// What a page of another site can send without the browser asking first (the Fetch standard, "CORS-safelisted").
const app = useTestApp();
const LOGOUT = 'mutation { logout { message } }';

describe('a POST with a content type of forms', () => {
  const FORMS: [contentType: string, body: string][] = [
    ['text/plain', JSON.stringify({ query: LOGOUT })],
    ['text/plain; charset=utf-8', JSON.stringify({ query: LOGOUT })],
    ['application/x-www-form-urlencoded', `query=${encodeURIComponent(LOGOUT)}`],
    ['application/x-www-form-urlencoded', JSON.stringify({ query: LOGOUT })],
    [
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n${LOGOUT}\r\n--x--\r\n`,
    ],
    ['text/plain; application/json', JSON.stringify({ query: LOGOUT })],
  ];

  test.each(FORMS)(
    'the GraphQL API refuses a POST without a preflight and changes nothing: %s',
    async (contentType, body) => {
      const { token } = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
      const post = async (more: object) => {
        const headers = { ...bearer(token), ...more, 'Content-Type': contentType };
        const response = await send(`${app.url}/graphql`, { method: 'POST', headers, body });
        expect(response.status).toBe(400);
        expect(jsonOf(response)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
        return response.text;
      };
      expect(await post({})).toContain('apollo-require-preflight');
      // Even where somebody was asked first, it is no GraphQL request.
      expect(await post(PREFLIGHT)).not.toContain('apollo-require-preflight');
      expect(await accountOf(app.url, token)).toBeDefined();
    },
  );

  test('the GraphQL API refuses a POST whose body has no content type', async () => {
    const body = new Blob([JSON.stringify({ query: '{ __typename }' })]);
    const response = await send(`${app.url}/graphql`, { method: 'POST', body });
    expect(response.status).toBe(400);
  });
});

describe('an upload', () => {
  const requestOf = (headers: Record<string, string> = {}) => ({
    ...graphqlApi(app.url).doctorRequest(aDoctor()),
    headers,
  });

  test('the GraphQL API refuses an upload without a preflight before it writes a byte', async () => {
    const before = await inventoryOf(app);
    const { req, body } = await openForm(app.url, requestOf());
    // Well into the second file, and then silence: the answer does not wait for the rest.
    req.write(body.subarray(0, body.lastIndexOf('%PDF')));
    refused(graphqlApi(app.url).doctorOutcome(await answerTo(req)), 'bad request');
    expect(await readdir(path.join(app.storageDir, '.quarantine'))).toEqual([]);
    req.destroy();
    expect(await inventoryOf(app)).toEqual(before);
  });

  test.each(['Apollo-Require-Preflight', 'X-Apollo-Operation-Name'])(
    'the GraphQL API accepts an upload with the header %s',
    async (name) => {
      const response = await sendForm(app.url, requestOf({ [name]: 'x' }));
      registeredDoctor(graphqlApi(app.url).doctorOutcome(response));
    },
  );
});

describe('a GET', () => {
  const get = (headers: Record<string, string>, query = '{ __typename }') =>
    send(`${app.url}/graphql?query=${encodeURIComponent(query)}`, { headers });

  test.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
    ['a link of another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }],
    ['a neighbour of the same domain', { 'Sec-Fetch-Site': 'same-site' }],
    ['an origin that claims to be this one', { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://127.0.0.1' }],
    ['any origin, by an older browser', { Origin: 'https://elsewhere.example' }],
    ['no origin, by an older browser', { Origin: 'null' }],
    ['a browser of the future', { 'Sec-Fetch-Site': 'cross-planet' }],
  ])('the GraphQL API refuses a GET from a page of %s', async (_case, headers) => {
    const response = await get(headers);
    expect(response.status).toBe(400);
    expect(jsonOf(response)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
    expect((await get({ ...headers, ...PREFLIGHT })).status).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ['a program', {}],
    ['the address bar', { 'Sec-Fetch-Site': 'none' }],
    ['a page of this site', { 'Sec-Fetch-Site': 'same-origin' }],
  ])('the GraphQL API runs a query by GET from %s', async (_case, headers) => {
    expect(jsonOf(await get(headers))).toEqual({ data: { __typename: 'Query' } });
  });

  test('the GraphQL API runs no mutation by GET', async () => {
    const { token } = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
    for (const headers of [bearer(token), { ...bearer(token), ...PREFLIGHT }]) {
      const response = await get(headers, LOGOUT);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
    }
    expect(await accountOf(app.url, token)).toBeDefined();
  });
});
