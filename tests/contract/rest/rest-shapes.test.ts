import { randomUUID } from 'node:crypto';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { importAccount } from '../../support/legacy.ts';
import { sendForm } from '../../support/multipart.ts';
import {
  aDoctor,
  aPatient,
  EMPTY_PROFILE,
  freshEmail,
  freshPassword,
  OPTIONAL_PROFILE,
} from '../../support/people.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

// The answers of docs/contract.md, key by key. `toEqual` rejects additional and missing keys.
const app = useTestApp();

const api = (path: string) => `${app.url}/api/v1/auth/${path}`;
const registerDoctor = (fields: object) =>
  sendForm(app.url, restApi(app.url).doctorRequest({ ...aDoctor(), ...fields }));
const documentUrl = (group: string) =>
  expect.stringMatching(new RegExp(`^${app.url}/storage/${group}/[0-9A-Za-z]{40}\\.pdf$`));
const token = expect.stringMatching(/^[0-9a-f]{24}\|[0-9A-Za-z]{40}[0-9a-f]{8}$/);
const id = expect.stringMatching(/^[0-9a-f]{24}$/);
/** As Laravel writes times. */
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000Z$/);
const times = { created_at: time, updated_at: time };

/** Registers a patient and gives what was sent and answered. */
async function registerPatient(fields: object = {}) {
  const sent = aPatient({ ...fields });
  rememberPassword(sent.password);
  const response = await sendJson(api('register/patient'), sent);
  return { sent, response, body: jsonOf<{ data: { id: string }; token: string }>(response) };
}

describe('the answer to register/doctor', () => {
  test('register/doctor answers 201 with account, profile and token inside data', async () => {
    const fields = {
      name: 'Dr. A',
      email: freshEmail(),
      phone: '+1',
      specialization: 'S',
      licenseNumber: 'L',
    };
    const response = await registerDoctor({ ...fields, ...OPTIONAL_PROFILE });
    expect(response.status).toBe(201);
    expect(jsonOf(response)).toEqual({
      data: {
        account: { id, name: 'Dr. A', email: fields.email, phone: '+1' },
        profile: {
          specialization: 'S',
          licenseNumber: 'L',
          licenseFileUrl: documentUrl('licenses'),
          diplomaFileUrl: documentUrl('diplomas'),
          certificationUrl: documentUrl('certifications'),
          ...OPTIONAL_PROFILE,
        },
        token,
      },
    });
  });

  test('register/doctor answers with null for each optional field that was not sent', async () => {
    const body = jsonOf<{ data: { profile: object } }>(await registerDoctor({}));
    expect(body.data.profile).toEqual({
      specialization: expect.any(String),
      licenseNumber: expect.any(String),
      licenseFileUrl: documentUrl('licenses'),
      diplomaFileUrl: documentUrl('diplomas'),
      certificationUrl: documentUrl('certifications'),
      ...EMPTY_PROFILE,
    });
  });
});

describe('the answer to register/patient', () => {
  test('register/patient answers 201 with the account record as data and the token beside it', async () => {
    const { sent, response, body } = await registerPatient({ phone: '+49 1', dob: '1990-05-17' });
    expect(response.status).toBe(201);
    const { name, email } = sent;
    const account = { id, name, email, phone: '+49 1', dob: '1990-05-17', role: 'patient', ...times };
    expect(body).toEqual({ data: account, token });
    const fields = ['id', 'name', 'email', 'phone', 'dob', 'role', 'created_at', 'updated_at'];
    expect(Object.keys(body.data)).toEqual(fields);
  });

  test('the account record has the time of the registration in UTC with six digits', async () => {
    const { data } = (await registerPatient()).body;
    const written = new Date(testClock.now()).toISOString().replace('Z', '000Z');
    expect(data).toMatchObject({ created_at: written, updated_at: written });
  });

  test('register/patient answers with null for a phone and a date of birth that were not sent', async () => {
    expect((await registerPatient()).body.data).toEqual({
      id,
      name: expect.any(String),
      email: expect.any(String),
      phone: null,
      dob: null,
      role: 'patient',
      ...times,
    });
  });
});

describe('the answer to login', () => {
  const login = async (email: string, password: string) => {
    rememberPassword(password);
    return sendJson(api('login'), { email, password });
  };

  test('login answers 200 with the account record as data and the token beside it', async () => {
    const { sent, body } = await registerPatient();
    const response = await login(sent.email, sent.password);
    expect(response.status).toBe(200);
    expect(jsonOf(response)).toEqual({ data: body.data, token });
  });

  test('login answers with the role and the phone of a doctor', async () => {
    const fields = { email: freshEmail(), password: freshPassword(), name: 'Dr. B', phone: '+2' };
    await registerDoctor(fields);
    expect(jsonOf(await login(fields.email, fields.password))).toEqual({
      data: { id, name: 'Dr. B', email: fields.email, phone: '+2', dob: null, role: 'doctor', ...times },
      token,
    });
  });

  test('login answers with the number of an imported account as a string', async () => {
    const { email, name, password } = await importAccount(app.database, '4711');
    const created_at = '2024-02-29T12:00:00.000000Z';
    const account = { id: '4711', name, email, phone: null, dob: null, role: 'patient' };
    expect(jsonOf(await login(email, password))).toEqual({
      data: { ...account, created_at, updated_at: created_at },
      token,
    });
  });

  test.each<[string, object, object]>([
    [
      'all of them',
      { dateOfBirth: '1990-05-17', updatedAt: new Date('2025-03-01T08:09:10Z') },
      {
        dob: '1990-05-17',
        created_at: '2024-02-29T12:00:00.000000Z',
        updated_at: '2025-03-01T08:09:10.000000Z',
      },
    ],
    [
      'no time at all',
      { createdAt: null, updatedAt: null, dateOfBirth: null },
      { dob: null, created_at: null, updated_at: null },
    ],
    [
      'only the time of its last change',
      { createdAt: null, updatedAt: new Date('2025-03-01T08:09:10Z') },
      { created_at: null, updated_at: '2025-03-01T08:09:10.000000Z' },
    ],
  ])(
    'login answers with the times and the birth of an imported account with %s',
    async (_case, stored, shown) => {
      const { id: _id, email, password } = await importAccount(app.database, randomUUID());
      await app.database.accounts.updateOne({ _id }, { $set: stored });
      expect(jsonOf(await login(email, password))).toMatchObject({ data: shown });
    },
  );

  test('a failed login answers 401 with only the message', async () => {
    const response = await login(freshEmail(), freshPassword());
    expect(response.status).toBe(401);
    expect(jsonOf(response)).toEqual({ message: 'Invalid credentials' });
    expect(response.headers.has('www-authenticate')).toBe(false);
  });
});

describe('the answer to logout', () => {
  const logout = (headers: Record<string, string>) => send(api('logout'), { method: 'POST', headers });

  test('logout answers 200 with the message', async () => {
    const { body } = await registerPatient();
    const response = await logout(bearer(body.token));
    expect(response.status).toBe(200);
    expect(jsonOf(response)).toEqual({ message: 'Logged out' });
  });

  test.each<[string, Record<string, string>]>([
    ['without a token', {}],
    ['with a token that is none', bearer('1|nothing')],
  ])('logout answers 401 and asks for a bearer token when called %s', async (_case, headers) => {
    const response = await logout(headers);
    expect(response.status).toBe(401);
    expect(jsonOf(response)).toEqual({ message: 'Unauthenticated.' });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('logout reads a token only from the header', async () => {
    const { body } = await registerPatient();
    const elsewhere = await sendJson(
      `${api('logout')}?token=${encodeURIComponent(body.token)}&access_token=${encodeURIComponent(body.token)}`,
      { token: body.token, access_token: body.token },
      { Cookie: `token=${encodeURIComponent(body.token)}`, 'X-Api-Key': body.token },
    );
    expect(elsewhere.status).toBe(401);
    expect((await logout(bearer(body.token))).status).toBe(200);
  });
});
