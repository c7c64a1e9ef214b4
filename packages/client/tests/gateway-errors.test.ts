import { named } from '../../../tests/support/database-messages.ts';
import { useProxiedApp } from '../../../tests/support/database-proxy.ts';
import { aPdfOf } from '../../../tests/support/documents.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { aPatient, freshEmail, freshPassword } from '../../../tests/support/people.ts';
import { testClock, useTestApp } from '../../../tests/support/test-app.ts';
import { createAuthClient } from '../src/index.ts';
import { aDoctorWithFiles, aFile, dataOf, errorOf, watchedFetch } from './support/results.ts';

const MAX_FILE_BYTES = 20_000;
const app = useTestApp({
  MAX_FILE_BYTES: String(MAX_FILE_BYTES),
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: '2',
});
const newClient = (token?: string) => createAuthClient({ url: app.url, token, fetch: watchedFetch });

test('a wrong login is an error without fields, and keeps the token', async () => {
  const client = newClient('1|kept');
  const result = await client.login({ email: freshEmail(), password: freshPassword() });
  expect(errorOf(result)).toEqual({
    code: 'INVALID_CREDENTIALS',
    message: 'Invalid credentials',
    requestId: expect.any(String),
  });
  expect(client.token).toBe('1|kept');
});

describe('a field that breaks a rule', () => {
  test('has its error under its name, and the compiler knows the names', async () => {
    const result = await newClient().registerPatient(aPatient({ name: ' ', password: 'short' }));
    if (result.ok || result.error.code !== 'BAD_USER_INPUT') {
      throw new Error('not refused');
    }
    const { name, email, password } = result.error.fields;
    expect(name).toEqual(['The name field is required.']);
    expect(password).toEqual(['The password field must be at least 8 characters.']);
    expect(email).toBeUndefined();
  });

  test('has its error also for documents, including those that were not chosen', async () => {
    const doctor = aDoctorWithFiles();
    const program = aFile('license.php');
    const wrong = await newClient().registerDoctor({ ...doctor, email: 'x', licenseFile: program });
    expect(errorOf(wrong)).toMatchObject({
      code: 'BAD_USER_INPUT',
      fields: {
        email: ['The email field must be a valid email address.'],
        licenseFile: [expect.stringContaining('must be a file of type: pdf')],
      },
    });
    const missing = await newClient().registerDoctor({ ...doctor, licenseFile: null, diplomaFile: null });
    expect(errorOf(missing)).toMatchObject({
      code: 'BAD_USER_INPUT',
      fields: {
        licenseFile: ['The license file field is required.'],
        diplomaFile: ['The diploma file field is required.'],
      },
    });
    const none = { licenseFile: null, diplomaFile: null, certificationFile: null };
    expect(errorOf(await newClient().registerDoctor({ ...doctor, ...none }))).toMatchObject({
      code: 'BAD_USER_INPUT',
      fields: { certificationFile: ['The certification file field is required.'] },
    });
  });

  test('has its error for a file that is too large', async () => {
    const large = aFile('license.pdf', aPdfOf(MAX_FILE_BYTES + 1));
    const result = await newClient().registerDoctor({ ...aDoctorWithFiles(), licenseFile: large });
    expect(errorOf(result)).toMatchObject({
      code: 'BAD_USER_INPUT',
      fields: { licenseFile: [expect.stringContaining('must not be greater than')] },
    });
  });
});

test('a request that is too large as a whole has its own error', async () => {
  const result = await newClient().registerPatient(aPatient({ name: 'x'.repeat(3_000_000) }));
  expect(errorOf(result)).toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The POST data is too large.',
  });
});

test('the error for too many attempts says how long to wait', async () => {
  const credentials = { email: freshEmail(), password: freshPassword() };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    errorOf(await newClient().login(credentials));
  }
  const error = errorOf(await newClient().login(credentials));
  if (error.code !== 'TOO_MANY_ATTEMPTS') {
    throw new Error(error.code);
  }
  expect(error.retryAfterSeconds).toBeGreaterThan(0);
  expect(error.retryAfterSeconds).toBeLessThanOrEqual(60);
});

describe('without a valid token', () => {
  test.each([undefined, '', '1|unknown', 'not one\r\nX-Injected: yes', 'gültig'])(
    '(%j) calls get UNAUTHENTICATED, and a logout forgets the token',
    async (token) => {
      const client = newClient(token);
      const { me, logout, tokens } = client;
      for (const call of [me, tokens.list, tokens.revokeOthers, () => tokens.revoke('1'), logout]) {
        expect(errorOf(await call())).toMatchObject({
          code: 'UNAUTHENTICATED',
          message: 'Unauthenticated.',
        });
      }
      expect(client.token).toBeNull();
    },
  );
});

describe('when the database is unreachable', () => {
  const behind = useProxiedApp();

  test('calls say when to try again, and a logout keeps the token, which is still valid', async () => {
    const client = createAuthClient({ url: behind.app.url });
    const { token } = dataOf(await client.registerPatient(aPatient()));
    await behind.proxy.cut();
    for (const call of [client.me, client.logout]) {
      const error = errorOf(await call());
      if (error.code !== 'SERVICE_UNAVAILABLE') {
        throw new Error(error.code);
      }
      expect(error).toMatchObject({ message: 'Service Unavailable', requestId: expect.any(String) });
      expect(error.retryAfterSeconds).toBeGreaterThan(0);
    }
    expect(client.token).toBe(token);
  });

  test('an operation that may have happened says so', async () => {
    await behind.proxy.restore();
    const client = createAuthClient({ url: behind.app.url });
    await eventually(async () => void dataOf(await client.registerPatient(aPatient())));
    const write = behind.proxy.hold(named('insert accounts'));
    const registered = client.registerPatient(aPatient());
    await write.arrived(1);
    await testClock.advance(2_000);
    write.release();
    const text = 'It may have happened: look again.';
    const error = { code: 'SERVICE_UNAVAILABLE', reason: 'unknown', message: text };
    expect(errorOf(await registered)).toMatchObject(error);
  });
});
