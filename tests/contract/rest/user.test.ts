import { randomUUID } from 'node:crypto';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { importAccount } from '../../support/legacy.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf, bearer } from '../../support/session.ts';
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
  const head = await get(bearer(token), 'HEAD');
  expect([head.status, head.text]).toEqual([200, '']);
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

const CREATED = '2024-02-29T12:00:00.000000Z';
const CHANGED = '2025-03-01T08:09:10.000000Z';
const IMPORTED = { dateOfBirth: '1990-05-17', updatedAt: new Date(CHANGED) };
test.each([
  ['its number and all times', '4711', IMPORTED, '1990-05-17', CREATED, CHANGED],
  ['the time of its creation alone', randomUUID(), {}, null, CREATED, CREATED],
  ['no time at all', randomUUID(), { createdAt: null, updatedAt: null }, null, null, null],
  [
    'the time of its change',
    randomUUID(),
    { createdAt: null, updatedAt: IMPORTED.updatedAt },
    null,
    null,
    CHANGED,
  ],
])('an imported account with %s is shown so', async (_case, _id, stored, dob, created_at, updated_at) => {
  const { email, name, password } = await importAccount(app.database, _id);
  await app.database.accounts.updateOne({ _id }, { $set: { role: 'patient', ...stored } as never });
  const login = jsonOf<{ data: object; token: string }>(
    await sendJson(`${app.url}/api/v1/auth/login`, { email, password }),
  );
  const times = { created_at, updated_at };
  expect(login.data).toEqual({ id: _id, name, email, phone: null, dob, role: 'patient', ...times });
  const createdAt = new Date(created_at ?? 0).toISOString();
  expect(await accountOf(app.url, login.token)).toMatchObject({ id: _id, createdAt });
});
