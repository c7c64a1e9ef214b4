import { jsonOf, send } from '../../support/http.ts';
import { bearer } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

// docs/contract.md, "Unknown paths and methods": always JSON, never HTML. tests/hostile/requests.test.ts has other spellings.
const app = useTestApp();

test.each([
  '/',
  '/nothing',
  '/index.html',
  '/api/v1/auth',
  '/api/v1/auth/',
  '/api/v1/auth/login/extra',
  '/api/v1/auth/register',
  '/API/v1/auth/login',
  '/GraphQL',
  '/api/v2/auth/login',
  '/storage',
  '/storage/nothing',
])('the unknown path %s is 404 in JSON', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const response = await send(`${app.url}${path}`, { method });
    expect([response.status, jsonOf(response)]).toEqual([404, { message: expect.any(String) }]);
  }
});

test.each(['register/doctor', 'register/patient', 'login', 'logout'])(
  '%s answers 405 in JSON to any method but POST',
  async (path) => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const response = await send(`${app.url}/api/v1/auth/${path}`, { method, headers: bearer('1|x') });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
      expect(jsonOf(response)).toEqual({ message: expect.stringContaining(method) });
    }
  },
);
