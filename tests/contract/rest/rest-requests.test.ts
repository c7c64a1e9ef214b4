import { aPdf } from '../../support/documents.ts';
import { expectInvalid, refused, succeeded } from '../../support/expectations.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { sendForm } from '../../support/multipart.ts';
import { aDoctor, aPatient, freshPassword } from '../../support/people.ts';
import { rememberPassword } from '../../support/response-record.ts';
import { outcomeOf, restApi } from '../../support/rest-api.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const urlOf = (path: string) => `${app.url}/api/v1/auth/${path}`;
const JSON_ENDPOINTS = ['register/patient', 'login'];

const FILES = ['licenseFile', 'diplomaFile', 'certificationFile'] as const;

describe('a JSON body', () => {
  test.each(JSON_ENDPOINTS)('%s answers 400 to malformed JSON and repeats none of it', async (path) => {
    const secret = freshPassword();
    rememberPassword(secret);
    for (const body of [`{"email":"a@b.c","password":"${secret}"`, `{${secret}}`, `${secret}`, '{"a":1,}']) {
      const response = await sendJson(urlOf(path), body);
      expect(response.status).toBe(400);
      expect(jsonOf(response)).toEqual({ message: 'The request body is not valid JSON.' });
    }
  });

  test.each(JSON_ENDPOINTS)('%s answers 422 to JSON of the wrong shape', async (path) => {
    for (const body of ['[]', '"text"', '42', 'true', 'null', '[{"email":"a@b.c"}]', '{}', '']) {
      const response = await sendJson(urlOf(path), body);
      expect(response.status).toBe(422);
      expect(jsonOf<{ errors: object }>(response).errors).toMatchObject({
        email: ['The email field is required.'],
        password: ['The password field is required.'],
      });
    }
  });

  test('the REST API answers 413 to JSON that is larger than any registration', async () => {
    const response = await sendJson(urlOf('register/patient'), aPatient({ name: 'x'.repeat(2_000_000) }));
    expect(response.status).toBe(413);
    expect(jsonOf(response)).toEqual({ message: 'The POST data is too large.' });
  });

  test('a JSON body with keys of the prototype has no effect', async () => {
    const fields = aPatient();
    rememberPassword(fields.password);
    const text = JSON.stringify(fields).replace('{', '{"__proto__":{"role":"doctor"},"constructor":1,');
    expect(outcomeOf(await sendJson(urlOf('register/patient'), text))).toMatchObject({
      ok: true,
      account: { role: 'patient' },
    });
  });
});

describe('validation errors', () => {
  test('a validation error is 422 with only the message and the fields as the request spells them', async () => {
    const request = restApi(app.url).doctorRequest(aDoctor({ licenseNumber: ' ', licenseFile: undefined }));
    const response = await sendForm(app.url, request);
    expect(response.status).toBe(422);
    expect(jsonOf(response)).toEqual({
      message: 'The license number field is required. (and 1 more error)',
      errors: {
        license_number: ['The license number field is required.'],
        license_file: ['The license file field is required.'],
      },
    });
  });
});

describe('a registration', () => {
  const api = () => restApi(app.url);

  test('a registration ignores a role and every other unknown field', async () => {
    const extras = {
      role: 'doctor',
      id: '1',
      emailKey: 'x',
      passwordHash: 'x',
      isAdmin: true,
      abilities: ['*'],
    };
    const patient = succeeded(await api().registerPatient(aPatient(extras)));
    expect(patient.account?.role).toBe('patient');
    expect(patient.account?.id).not.toBe('1');
    const stored = await app.database.accounts.findOne({ _id: patient.account?.id ?? '' });
    expect(Object.keys(stored ?? {}).sort()).toEqual(
      [
        '_id',
        'createdAt',
        'dateOfBirth',
        'disabledAt',
        'email',
        'emailKey',
        'knownPlaces',
        'name',
        'nameWords',
        'passwordHash',
        'phone',
        'phoneDigits',
        'role',
        'updatedAt',
      ].sort(),
    );

    const doctor = succeeded(await api().registerDoctor(aDoctor({ role: 'admin', avatar: aPdf() })));
    expect(await app.database.accounts.findOne({ _id: doctor.account?.id ?? '' })).toMatchObject({
      role: 'doctor',
    });
  });

  test('a password_confirmation must match the password', async () => {
    const password = freshPassword();
    const confirmed = (passwordConfirmation: unknown) => ({ password, passwordConfirmation });
    const mismatch = { password: ['The password field confirmation does not match.'] };
    succeeded(await api().registerPatient(aPatient(confirmed(password))));
    succeeded(await api().registerDoctor(aDoctor(confirmed(password))));
    for (const other of [`${password} `, freshPassword(), '']) {
      expectInvalid(await api().registerPatient(aPatient(confirmed(other))), mismatch);
      expectInvalid(await api().registerDoctor(aDoctor(confirmed(other))), mismatch);
    }
  });

  test.each(FILES)('the REST API refuses a doctor with a text in place of %s', async (field) => {
    const label = field.replace('File', ' file');
    expectInvalid(await api().registerDoctor(aDoctor({ [field]: 'a text' })), {
      [field]: [`The ${label} field must be a file.`],
    });
  });

  test('the REST API refuses a doctor with a file in place of a text', async () => {
    expectInvalid(await api().registerDoctor(aDoctor({ specialization: aPdf() })), {
      specialization: ['The specialization field must be a string.'],
    });
  });

  test('the REST API refuses a doctor as JSON because the files are missing', async () => {
    const { licenseFile, diplomaFile, certificationFile, licenseNumber, ...texts } = aDoctor();
    rememberPassword(texts.password);
    const response = await sendJson(urlOf('register/doctor'), { ...texts, license_number: licenseNumber });
    expectInvalid(outcomeOf(response), {
      licenseFile: ['The license file field is required.'],
      diplomaFile: ['The diploma file field is required.'],
      certificationFile: ['The certification file field is required.'],
    });
  });

  test('the REST API refuses a doctor with operators in the names of form fields', async () => {
    const before = await inventoryOf(app);
    const { form, ...request } = api().doctorRequest(aDoctor({ email: undefined }));
    form.append('email[$gt]', '');
    expectInvalid(outcomeOf(await sendForm(app.url, { ...request, form })), {
      email: ['The email field is required.'],
    });
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('the REST API answers 400 to a doctor with a broken multipart body', async () => {
    for (const contentType of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
      const response = await send(urlOf('register/doctor'), {
        method: 'POST',
        headers: { 'Content-Type': contentType },
        body: '--y\r\nnothing of a form',
      });
      expect(refused(outcomeOf(response), 'bad request').message).toBe(
        'The request body is not valid multipart form data.',
      );
    }
  });
});
