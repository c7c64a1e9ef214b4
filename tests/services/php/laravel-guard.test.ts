import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ACTIVE, FakeGateway } from '../../../packages/guard/tests/support/fake-gateway.ts';
import { registeredDoctor, succeeded } from '../../support/expectations.ts';
import { freePort } from '../../support/listen.ts';
import { aDoctor } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { APPOINTMENTS, SERVICES } from '../../support/services.ts';
import { bearer, tokenIdOf } from '../../support/session.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const EXAMPLE = 'examples/laravel';
const LARAVEL = path.join(import.meta.dirname, 'support/laravel.php');
const UNAVAILABLE = { status: 503, message: 'Service Unavailable', headers: { 'Retry-After': '1' } };

const app = useTestApp(SERVICES);
const fake = new FakeGateway().use();

const folder = temporaryFolder();
beforeAll(async () => {
  await cp(EXAMPLE, folder, { recursive: true });
});

/** What the guard decides about a request. */
async function outcomeOf(token: string, gateway: string = app.url, secret = APPOINTMENTS.secret) {
  const env = {
    PATH: process.env.PATH,
    AUTH_GATEWAY_URL: gateway,
    AUTH_GATEWAY_CLIENT: APPOINTMENTS.id,
    AUTH_GATEWAY_SECRET: secret,
  };
  const { stdout } = await promisify(execFile)('php', [LARAVEL, 'gateway-guard.php', 'services.php', token], {
    cwd: folder,
    env,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('a valid token is the account, until it is revoked', async () => {
  const api = restApi(app.url);
  const { account, token } = registeredDoctor(await api.registerDoctor(aDoctor()));
  expect(await outcomeOf(token)).toEqual({
    status: 200,
    id: String(account.id),
    user: expect.objectContaining({
      role: 'doctor',
      name: account.name,
      scope: 'create update delete',
      acr: 'aal1',
      auth_time: Math.floor(testClock.now() / 1000),
      jti: tokenIdOf(token),
    }),
  });
  succeeded(await api.logout(bearer(token).Authorization));
  expect(await outcomeOf(token)).toEqual({ status: 401 });
});

test.each(['', 'unknown', '1|a+b&token=c'])('the token "%s" is nobody', async (token) => {
  expect(await outcomeOf(token)).toEqual({ status: 401 });
});

test('nobody gets in while the gateway is unreachable', async () => {
  expect(await outcomeOf('1|any', `http://127.0.0.1:${await freePort()}`)).toEqual(UNAVAILABLE);
});

test('nobody gets in if the gateway does not accept the secret', async () => {
  expect(await outcomeOf('1|any', app.url, 'wrong')).toEqual(UNAVAILABLE);
});

test('nobody gets in if the gateway does not answer', async () => {
  fake.answer = () => {};
  expect(await outcomeOf('1|any', fake.url)).toEqual(UNAVAILABLE);
});

test.each<[number, unknown]>([
  [200, '<html>please log in</html>'],
  [200, ''],
  [200, '"active"'],
  [200, 'true'],
  [200, {}],
  [200, { ...ACTIVE, active: 'true' }],
  [200, { ...ACTIVE, active: 1 }],
  [201, ACTIVE],
  [302, ACTIVE],
  [500, ACTIVE],
  [503, { message: 'Service Unavailable' }],
])("nobody gets in by an answer that is not the gateway's: %i (%#)", async (status, body) => {
  fake.answer = FakeGateway.says(body, status, { Location: `${app.url}/oauth/introspect` });
  expect(await outcomeOf('1|any', fake.url)).toEqual(UNAVAILABLE);
  expect(fake.questions).toEqual(['token=1%7Cany']);
});

test('an active token without an account is an error, and nobody gets in', async () => {
  fake.answer = FakeGateway.says({ active: true });
  expect(await outcomeOf('1|any', fake.url)).toMatchObject({ status: 500 });
});
