import { registeredDoctor } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, send } from '../../support/http.ts';
import { aDoctor } from '../../support/people.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { bearer } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

// docs/contract.md, "Unknown paths and methods": always JSON, never HTML.
const app = useTestApp();

test.each([
  '/',
  '/nothing',
  '/index.html',
  '/api/v1/auth',
  '/api/v1/auth/',
  '/api/v1/auth/nothing',
  '/api/v1/auth/login/extra',
  '/api/v1/auth/register',
  '/api/v1/auth/register/admin',
  '/API/v1/auth/login',
  '/GraphQL',
  '/api/v1/auth/LOGIN',
  '/api/v2/auth/login',
  '/graphql/nothing',
  '/storage',
  '/storage/nothing',
])('the unknown path %s is 404 in JSON', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const response = await send(`${app.url}${path}`, { method });
    expect(response.status).toBe(404);
    expect(jsonOf(response)).toEqual({ message: expect.any(String) });
  }
});

test.each(['/%zz', '/api/v1/auth/%zz', '/api/v1/auth/%00', '/storage/licenses/%zz', '/graphql/%zz'])(
  'the gateway refuses the undecodable path %s in JSON',
  async (path) => {
    const response = await sendRaw(app.url, { path });
    expect([400, 404]).toContain(response.status);
    expect(jsonOf(response)).toEqual(expect.any(Object));
  },
);

test.each(['register/doctor', 'register/patient', 'login', 'logout'])(
  '%s answers 405 in JSON to any method but POST',
  async (path) => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const response = await send(`${app.url}/api/v1/auth/${path}`, { method, headers: bearer('1|x') });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
      expect(jsonOf(response)).toEqual({ message: expect.stringContaining(method) });
    }
  },
);

test.each(['PUT', 'PATCH', 'DELETE'])('the GraphQL API answers 405 in JSON to %s', async (method) => {
  const response = await send(`${app.url}/graphql`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toContain('POST');
  expect(jsonOf(response)).toEqual({ errors: [expect.objectContaining({ message: expect.any(String) })] });
});

test('a mutation by GET is 405 in JSON', async () => {
  const query = encodeURIComponent('mutation { logout { message } }');
  const response = await send(`${app.url}/graphql?query=${query}`, {
    headers: { 'Apollo-Require-Preflight': 'true' },
  });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('POST');
  expect(jsonOf(response)).toEqual({ errors: [expect.objectContaining({ message: expect.any(String) })] });
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'a stored document answers 405 in JSON to %s',
  async (method) => {
    const { profile } = registeredDoctor(await graphqlApi(app.url).registerDoctor(aDoctor()));
    const response = await send(profile.licenseFileUrl, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain('GET');
    expect(jsonOf(response)).toEqual({ message: expect.any(String) });
    expect((await send(profile.licenseFileUrl)).status).toBe(200);
  },
);
