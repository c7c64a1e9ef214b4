import {
  LoginDocument,
  LogoutDocument,
  MeDocument,
  RegisterPatientDocument,
} from '../../../packages/client/src/generated/graphql.ts';
import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf } from '../../support/http.ts';
import { sendForm } from '../../support/multipart.ts';
import { aDoctor, aPatient, freshEmail, freshPassword, OPTIONAL_PROFILE } from '../../support/people.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

// The answers of GraphQL, key by key, as the operations of schema/operations ask for it.
const NOT_REVIEWED = {
  ...{ status: 'PENDING', decidedAt: null, until: null, isRenewable: false },
  ...{ reason: null, documents: [], grounds: [] },
};
const app = useTestApp();

const token = expect.stringMatching(/^[0-9a-f]{24}\|[0-9A-Za-z]{40}[0-9a-f]{8}$/);
const id = expect.stringMatching(/^[0-9a-f]{24}$/);
const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

async function registerPatient(fields: object = {}) {
  const input = aPatient({ ...fields });
  rememberPassword(input.password);
  return { input, ...(await execute(app.url, RegisterPatientDocument, { input })) };
}

test('registerDoctor returns the account, the profile and the token', async () => {
  const fields = { name: 'Dr. A', email: freshEmail(), phone: '+1', specialization: 'S', licenseNumber: 'L' };
  const input = { ...aDoctor(), ...fields, ...OPTIONAL_PROFILE };
  const response = await sendForm(app.url, graphqlApi(app.url).doctorRequest(input));
  expect(response.status).toBe(200);
  const urlIn = (group: string) =>
    expect.stringMatching(new RegExp(`^${app.url}/storage/${group}/[0-9A-Za-z]{40}\\.pdf$`));
  expect(jsonOf(response)).toEqual({
    data: {
      registerDoctor: {
        account: {
          id,
          name: 'Dr. A',
          email: fields.email,
          phone: '+1',
          dateOfBirth: null,
          role: 'DOCTOR',
          createdAt,
          emailVerifiedAt: null,
        },
        profile: {
          specialization: 'S',
          licenseNumber: 'L',
          licenseFileUrl: urlIn('licenses'),
          diplomaFileUrl: urlIn('diplomas'),
          certificationUrl: urlIn('certifications'),
          ...OPTIONAL_PROFILE,
          verification: NOT_REVIEWED,
          proposal: null,
        },
        token,
      },
    },
  });
});

test('registerPatient returns the account and the token', async () => {
  const { input, http, body } = await registerPatient();
  const { name, email } = input;
  expect(http.status).toBe(200);
  expect(body).toEqual({
    data: {
      registerPatient: {
        account: {
          id,
          name,
          email,
          phone: null,
          dateOfBirth: null,
          role: 'PATIENT',
          createdAt,
          emailVerifiedAt: null,
        },
        token,
      },
    },
  });
});

test('login returns the account and the token', async () => {
  const { input, body: registered } = await registerPatient({ phone: '+49 1' });
  const { email, password } = input;
  const { http, body } = await execute(app.url, LoginDocument, { input: { email, password } });
  expect(http.status).toBe(200);
  expect(body).toEqual({ data: { login: { account: registered.data?.registerPatient.account, token } } });
});

test('logout returns the message', async () => {
  const { body: registered } = await registerPatient();
  const headers = bearer(registered.data?.registerPatient.token ?? '');
  const { http, body } = await execute(app.url, LogoutDocument, {}, headers);
  expect(http.status).toBe(200);
  expect(body).toEqual({ data: { logout: { message: 'Logged out' } } });
});

test('me answers with the epoch for an account without a time of creation', async () => {
  const { account, token } = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
  await app.database.accounts.updateOne({ _id: account.id }, { $set: { createdAt: null } });
  expect(await accountOf(app.url, token)).toMatchObject({ createdAt: '1970-01-01T00:00:00.000Z' });
});

test('me returns the account and the profile of a doctor as the registration did', async () => {
  const api = graphqlApi(app.url);
  const doctor = registeredDoctor(await api.registerDoctor(aDoctor(OPTIONAL_PROFILE)));
  const { body } = await execute(app.url, MeDocument, {}, bearer(doctor.token));
  expect(body).toEqual({
    data: {
      me: {
        ...doctor.account,
        role: 'DOCTOR',
        createdAt,
        emailVerifiedAt: null,
        profile: { ...doctor.profile, verification: NOT_REVIEWED, proposal: null },
      },
    },
  });

  const { body: patient } = await registerPatient();
  const { account, token: patientToken } = patient.data?.registerPatient ?? { account: {}, token: '' };
  const { body: me } = await execute(app.url, MeDocument, {}, bearer(patientToken));
  expect(me).toEqual({ data: { me: { ...account, profile: null } } });
});

describe('a validation error', () => {
  const expectBadInput = (http: { status: number }, body: unknown, errors: object, message: string) => {
    expect(http.status).toBe(200);
    expect(body).toMatchObject({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT', errors } }] });
  };

  test('a validation error has status 200, the code BAD_USER_INPUT and the texts by argument name', async () => {
    const { http, body } = await registerPatient({ name: ' ', password: 'Short-7' });
    expectBadInput(
      http,
      body,
      {
        name: ['The name field is required.'],
        password: ['The password field must be at least 8 characters.'],
      },
      'The name field is required. (and 1 more error)',
    );
  });

  test('a validation error uses the names of the schema, not of the REST contract', async () => {
    const request = graphqlApi(app.url).doctorRequest(aDoctor({ licenseNumber: ' ' }));
    const response = await sendForm(app.url, request);
    const text = 'The license number field is required.';
    expectBadInput(response, jsonOf(response), { licenseNumber: [text] }, text);
  });

  test('a validation error looks the same if the schema refuses the input', async () => {
    const { http, body } = await registerPatient({ email: undefined });
    expectBadInput(http, body, { email: ['The email field is required.'] }, 'The email field is required.');
    const wrong = await registerPatient({ password: { $gt: '' } });
    const text = 'The password field must be a string.';
    expectBadInput(wrong.http, wrong.body, { password: [text] }, text);
  });

  test('a validation error names each field that the schema requires', async () => {
    const { body } = await execute(app.url, RegisterPatientDocument, { input: {} });
    const errors = Object.assign({}, ...(body.errors ?? []).map(({ extensions }) => extensions?.errors));
    expect(Object.keys(errors).sort()).toEqual(['email', 'name', 'password']);
  });
});

test('a failed login has one code and one message', async () => {
  const password = freshPassword();
  rememberPassword(password);
  const { body } = await execute(app.url, LoginDocument, { input: { email: freshEmail(), password } });
  expect(body).toMatchObject({ data: null, errors: [{ message: 'Invalid credentials', path: ['login'] }] });
});

test('a call without a token has the code UNAUTHENTICATED', async () => {
  for (const document of [LogoutDocument, MeDocument]) {
    const { body } = await execute<unknown>(app.url, document, {});
    expect(body).toMatchObject({
      data: null,
      errors: [{ message: 'Unauthenticated.', extensions: { code: 'UNAUTHENTICATED' } }],
    });
  }
});

test('no input has a role', async () => {
  for (const role of ['DOCTOR', 'doctor']) {
    const { body } = await registerPatient({ role });
    expect(body.errors?.[0]?.extensions?.code).toBe('BAD_USER_INPUT');
  }
  expect(await app.database.accounts.countDocuments({ role: 'doctor', phone: null })).toBe(0);
});
