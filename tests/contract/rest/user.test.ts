import { authenticated, succeeded } from '../../support/expectations.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const USER = '/api/v1/user';
const get = (headers: Record<string, string> = {}, method = 'GET') =>
  send(app.url + USER, { method, headers });

test.each(['patient', 'doctor'])('a %s gets the account record as login answers it', async (role) => {
  // The record never has the language of the mails.
  const api = restApi(app.url, { 'Accept-Language': 'de' });
  const person = role === 'doctor' ? aDoctor() : aPatient();
  const register = role === 'doctor' ? api.registerDoctor(person) : api.registerPatient(person);
  const { token } = authenticated(await register);
  const { email, password } = person;
  const login = await sendJson(`${app.url}/api/v1/auth/login`, { email, password });
  const http = await get(bearer(token));
  expect([http.status, jsonOf(http)]).toEqual([200, jsonOf<{ data: object }>(login).data]);
  expect(Object.keys(jsonOf<object>(http)).join(' ')).toBe(
    'id name email phone dob role created_at updated_at',
  );
});

test('HEAD is answered without the record', async () => {
  const { token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
  const http = await get(bearer(token), 'HEAD');
  expect([http.status, http.text]).toEqual([200, '']);
});

test('without a valid token it is 401', async () => {
  const { token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
  succeeded(await restApi(app.url).logout(`Bearer ${token}`));
  for (const headers of [{}, bearer('x'), bearer(token)]) {
    const http = await get(headers as Record<string, string>);
    expect([http.status, jsonOf(http)]).toEqual([401, { message: 'Unauthenticated.' }]);
    expect(http.headers.get('www-authenticate')).toBe('Bearer');
  }
});

test('other methods are 405, and paths below it are unknown', async () => {
  const http = await get({}, 'POST');
  expect([http.status, http.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect(jsonOf(http)).toEqual({
    message: 'The POST method is not supported for route api/v1/user. Supported methods: GET, HEAD.',
  });
  for (const path of ['/1', '/profile']) {
    expect((await send(app.url + USER + path)).status).toBe(404);
  }
});
