import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { refused } from '../../support/expectations.ts';
import { type GraphqlBody, graphqlApi, PREFLIGHT } from '../../support/graphql-api.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { openForm, sendForm } from '../../support/multipart.ts';
import { aDoctor, freshPassword } from '../../support/people.ts';
import { answerTo } from '../../support/raw-http.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

describe('a multipart request that a page of another site could send', () => {
  const requestOf = () => {
    const { headers, ...request } = graphqlApi(app.url).doctorRequest(aDoctor());
    return { ...request, headers: {} };
  };

  test('the GraphQL door refuses a multipart request without a preflight before it writes a byte', async () => {
    const { req, body } = await openForm(app.url, requestOf());
    // Well into the second file, and then silence: the answer does not wait for the rest.
    req.write(body.subarray(0, body.lastIndexOf('%PDF')));
    const response = await answerTo(req);
    expect(response.status).toBe(400);
    expect(jsonOf<GraphqlBody<never>>(response).errors).toHaveLength(1);
    expect(await readdir(path.join(app.storageDir, '.quarantine'))).toEqual([]);
    req.destroy();
  });

  test('the GraphQL door refuses a whole multipart request without a preflight and changes nothing', async () => {
    const before = await inventoryOf(app);
    const outcome = graphqlApi(app.url).doctorOutcome(await sendForm(app.url, requestOf()));
    refused(outcome, 'bad request');
    expect(await inventoryOf(app)).toEqual(before);
  });

  test.each(['Apollo-Require-Preflight', 'X-Apollo-Operation-Name'])(
    'the GraphQL door accepts a multipart request with the header %s',
    async (name) => {
      const response = await sendForm(app.url, { ...requestOf(), headers: { [name]: 'x' } });
      expect(graphqlApi(app.url).doctorOutcome(response).ok).toBe(true);
    },
  );
});

test('the GraphQL door refuses a form or text body, which a page sends without a preflight', async () => {
  const query = 'mutation { logout { message } }';
  for (const contentType of ['text/plain', 'application/x-www-form-urlencoded']) {
    const response = await send(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': contentType },
      body: JSON.stringify({ query }),
    });
    expect(response.status).toBe(400);
    expect(jsonOf(response)).toMatchObject({ errors: [{ message: expect.any(String) }] });
  }
});

describe('a body that cannot be read', () => {
  const secret = freshPassword();
  rememberPassword(secret);

  test.each([`{"query":"${secret}`, `{${secret}}`, secret])(
    'the GraphQL door answers 400 to unreadable JSON and repeats none of it: %#',
    async (body) => {
      const response = await sendJson(`${app.url}/graphql`, body);
      expect(response.status).toBe(400);
      expect(jsonOf(response)).toMatchObject({
        errors: [{ message: 'The request body is not valid JSON.', extensions: { code: 'BAD_REQUEST' } }],
      });
    },
  );

  test.each(['[]', '"text"', '42', 'null', '{}', '{"query":5}', '{"query":""}', ''])(
    'the GraphQL door answers 400 in JSON to a body of the shape %s',
    async (body) => {
      const response = await sendJson(`${app.url}/graphql`, body);
      expect(response.status).toBe(400);
      expect(jsonOf(response)).toMatchObject({ errors: [{ message: expect.any(String) }] });
    },
  );

  test('the GraphQL door answers 413 to JSON that is larger than any operation', async () => {
    const response = await sendJson(`${app.url}/graphql`, {
      query: `# ${'x'.repeat(2_000_000)}\n{ me { id } }`,
    });
    expect(response.status).toBe(413);
    expect(jsonOf(response)).toMatchObject({ errors: [{ message: 'The POST data is too large.' }] });
  });

  test.each(['not JSON', '{"query":5}', '[]', 'null', '{}'])(
    'the GraphQL door answers 400 in JSON to operations %s in a multipart request',
    async (operations) => {
      const form = new FormData();
      form.append('operations', operations);
      form.append('map', '{}');
      const response = await sendForm(app.url, { path: '/graphql', headers: { ...PREFLIGHT }, form });
      expect(response.status).toBe(400);
      expect(jsonOf(response)).toMatchObject({ errors: [{ message: expect.any(String) }] });
    },
  );
});

describe('introspection', () => {
  const ask = async (url: string) => {
    const response = await sendJson(`${url}/graphql`, { query: '{ __schema { queryType { name } } }' });
    return { status: response.status, data: jsonOf<GraphqlBody<object>>(response).data };
  };
  const SHOWN = { status: 200, data: { __schema: { queryType: { name: 'Query' } } } };

  // In production the app listens on every interface; a test does not.
  const PRODUCTION = { NODE_ENV: 'production', HOST: '127.0.0.1', BASE_URL: 'http://gateway.example' };
  const productionApp = useTestApp(PRODUCTION);
  const openApp = useTestApp({ ...PRODUCTION, GRAPHQL_INTROSPECTION: 'on' });
  const closedApp = useTestApp({ GRAPHQL_INTROSPECTION: 'off' });

  test('introspection is on in development and off in production', async () => {
    expect(await ask(app.url)).toEqual(SHOWN);
    expect((await ask(productionApp.url)).data).toBeUndefined();
  });

  test('GRAPHQL_INTROSPECTION turns introspection on and off', async () => {
    expect(await ask(openApp.url)).toEqual(SHOWN);
    expect((await ask(closedApp.url)).data).toBeUndefined();
  });

  test('no error suggests a name if introspection is off', async () => {
    const response = await sendJson(`${productionApp.url}/graphql`, { query: '{ mee { id } }' });
    expect(response.text).not.toMatch(/Did you mean|"me"|\bme\b/);
  });
});
