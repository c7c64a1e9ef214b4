import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { aPdf } from '../../../tests/support/documents.ts';
import { send } from '../../../tests/support/http.ts';
import {
  aDoctor,
  aPatient,
  freshEmail,
  freshPassword,
  OPTIONAL_PROFILE,
} from '../../../tests/support/people.ts';
import { resetCodeOf } from '../../../tests/support/reset-codes.ts';
import { newReviewer } from '../../../tests/support/reviews.ts';
import { useTestApp } from '../../../tests/support/test-app.ts';
import { type AuthClient, createAuthClient, type ReviewedDoctor } from '../src/index.ts';
import { aDoctorWithFiles, dataOf, errorOf, watchedFetch } from './support/results.ts';

const app = useTestApp();
const newClient = (token?: string | null): AuthClient =>
  createAuthClient({ url: app.url, token, fetch: watchedFetch });

describe('a patient', () => {
  test('registers, and the client keeps the token for the calls that follow', async () => {
    const client = newClient();
    expect(client.token).toBeNull();
    const patient = aPatient({ phone: '+49 30 1234567' });
    const { account, token } = dataOf(await client.registerPatient(patient));
    expect(account).toMatchObject({ name: patient.name, phone: patient.phone, role: 'PATIENT' });
    expect(client.token).toBe(token);
    expect(dataOf(await client.me())).toMatchObject({ ...account, profile: null });
  });

  test('may give a date of birth; an empty one is none', async () => {
    const born = (dateOfBirth: string) => newClient().registerPatient(aPatient({ dateOfBirth }));
    expect(dataOf(await born('1990-05-17')).account.dateOfBirth).toBe('1990-05-17');
    expect(dataOf(await born('')).account.dateOfBirth).toBeNull();
    expect(errorOf(await born('17.05.1990'))).toMatchObject({
      code: 'BAD_USER_INPUT',
      fields: { dateOfBirth: ['The date of birth field must be a valid date.'] },
    });
  });
});

describe('tokens', () => {
  test('are listed, revoked one by one, and all at once except the own one', async () => {
    const client = newClient();
    const patient = aPatient();
    dataOf(await client.registerPatient(patient));
    for (let login = 0; login < 3; login += 1) {
      dataOf(await newClient().login(patient));
    }
    const { list, revoke, revokeOthers } = client.tokens;
    const tokens = dataOf(await list());
    expect(tokens).toHaveLength(4);
    expect(tokens.filter(({ current }) => current)).toHaveLength(1);
    const [newest] = tokens;
    expect(dataOf(await revoke(newest?.id ?? ''))).toBe(true);
    expect(dataOf(await revoke(newest?.id ?? ''))).toBe(false);
    expect(dataOf(await revokeOthers())).toBe(2);
    expect(dataOf(await list())).toMatchObject([{ current: true }]);
  });
});

describe('a password', () => {
  test('is changed, and the other tokens are revoked unless the caller lets them be', async () => {
    const patient = aPatient();
    const client = newClient();
    dataOf(await client.registerPatient(patient));
    const other = newClient();
    dataOf(await other.login(patient));
    const [second, third] = [freshPassword(), freshPassword()];
    const wrong = { currentPassword: 'not the password', newPassword: second };
    expect(errorOf(await client.password.change(wrong))).toMatchObject({
      code: 'BAD_USER_INPUT',
      fields: { currentPassword: ['The password is incorrect.'] },
    });
    const gentle = { currentPassword: patient.password, newPassword: second, revokeOtherTokens: false };
    expect(dataOf(await client.password.change(gentle)).revokedTokens).toBe(0);
    const strict = { currentPassword: second, newPassword: third };
    expect(dataOf(await client.password.change(strict)).revokedTokens).toBe(1);
    expect(errorOf(await other.me()).code).toBe('UNAUTHENTICATED');
    dataOf(await client.me());
  });

  test('is reset with a token, and errors name their field', async () => {
    const patient = aPatient();
    await newClient().registerPatient(patient);
    const { reset } = newClient().password;
    const newPassword = freshPassword();
    expect(errorOf(await reset({ token: 'unknown', newPassword }))).toMatchObject({
      fields: { token: ['This password reset token is invalid.'] },
    });
    const token = await resetCodeOf(app, patient.email);
    expect(dataOf(await reset({ token, newPassword })).message).toBe('Your password has been reset.');
    dataOf(await newClient().login({ email: patient.email, password: newPassword }));
  });

  test('cannot be reset by mail without a mail server', async () => {
    const refused = await newClient().password.requestReset(freshEmail());
    expect(errorOf(refused).code).toBe('NOT_FOUND');
  });
});

describe('reviewers', () => {
  test('list doctors and decide; a rejected doctor submits documents again', async () => {
    const doctor = newClient();
    const { account } = dataOf(await doctor.registerDoctor(aDoctorWithFiles()));
    const { reviews } = newClient((await newReviewer(app)).token);
    const isOurs = ({ node }: { node: ReviewedDoctor }) => node.account.id === account.id;
    const waiting = dataOf(await reviews.list({ first: 100 }));
    expect(waiting.edges.find(isOurs)?.node).toMatchObject({ revision: 0, newDocuments: null });

    const rejection = { id: account.id, revision: 0, decision: 'REJECT' } as const;
    expect(errorOf(await reviews.decide(rejection))).toMatchObject({
      fields: { reason: ['The reason field is required.'] },
    });
    const { profile } = dataOf(await reviews.decide({ ...rejection, reason: 'Not readable.' }));
    expect(profile.verification).toMatchObject({ status: 'REJECTED', reason: 'Not readable.' });
    expect(errorOf(await reviews.decide({ ...rejection, reason: 'Again.' }))).toMatchObject({
      fields: { revision: [expect.stringContaining('changed')] },
    });

    const { licenseFile, diplomaFile, certificationFile } = aDoctorWithFiles();
    const documents = { licenseFile, diplomaFile, certificationFile };
    expect(errorOf(await doctor.resubmitDocuments({ ...documents, diplomaFile: null }))).toMatchObject({
      fields: { diplomaFile: ['The diploma file field is required.'] },
    });
    expect(dataOf(await doctor.resubmitDocuments(documents)).verification.status).toBe('PENDING');
    const [resubmitted] = dataOf(await reviews.list({ first: 100 })).edges.filter(isOurs);
    expect(resubmitted?.node.newDocuments?.licenseFileUrl).toMatch(/\.pdf$/);
    expect(errorOf(await doctor.reviews.list()).code).toBe('FORBIDDEN');
    expect(errorOf(await doctor.resubmitDocuments(documents))).toMatchObject({
      fields: { input: [expect.stringContaining('after a rejection')] },
    });
  });
});

test('corrections change the session, and null empties a field', async () => {
  const client = newClient();
  const { account } = dataOf(await client.registerPatient(aPatient({ phone: '+1 555 0199' })));
  const fields = { name: 'Corrected', phone: null, unknown: 'not sent' };
  const corrected = dataOf(await client.updateMyProfile(fields));
  expect(corrected).toMatchObject({ id: account.id, name: 'Corrected', phone: null, profile: null });
  expect(client.session).toMatchObject({ status: 'authenticated', account: { name: 'Corrected' } });
  expect(errorOf(await client.updateMyProfile({ language: 'xx' }))).toMatchObject({
    fields: { language: ['The selected language is invalid: en or de.'] },
  });
});

describe('leaving', () => {
  test('the data is exported, and the account is closed with its password', async () => {
    const patient = aPatient();
    const client = newClient();
    const { account, token } = dataOf(await client.registerPatient(patient));
    expect(dataOf(await client.exportMyData())).toMatchObject({ account: { id: account.id }, profile: null });
    expect(errorOf(await client.deleteMyAccount({ password: 'not the password' }))).toMatchObject({
      fields: { password: ['The password is incorrect.'] },
    });
    expect(client.token).toBe(token);
    const { erasedAfter } = dataOf(await client.deleteMyAccount(patient));
    expect(Date.parse(erasedAfter)).toBeGreaterThan(Date.parse(account.createdAt));
    expect(client.token).toBeNull();
    expect(errorOf(await newClient().login(patient)).code).toBe('INVALID_CREDENTIALS');
  });
});

describe('a doctor', () => {
  test('registers with Files', async () => {
    const client = newClient();
    const { account, profile, token } = dataOf(
      await client.registerDoctor({ ...aDoctorWithFiles(), ...OPTIONAL_PROFILE }),
    );
    expect(account.role).toBe('DOCTOR');
    expect(profile).toMatchObject(OPTIONAL_PROFILE);
    expect(profile.licenseFileUrl).toMatch(/\/storage\/licenses\/\w+\.pdf$/);
    expect(client.token).toBe(token);
    expect(dataOf(await client.me()).profile).toEqual(profile);
  });

  test('registers with Blobs, which are named by their types', async () => {
    const blob = (type: string) => new Blob([aPdf().bytes], { type });
    const { profile } = dataOf(
      await newClient().registerDoctor({
        ...aDoctor(),
        licenseFile: blob('application/pdf'),
        diplomaFile: blob('application/pdf;version=1.7'),
        certificationFile: blob('application/pdf'),
      }),
    );
    expect(profile.diplomaFileUrl).toMatch(/\.pdf$/);
  });

  describe('with files on a disk', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-client-'));
    });
    afterAll(() => rm(folder, { recursive: true }));

    test('registers with their paths', async () => {
      const { name, bytes } = aPdf('license.pdf');
      const file = path.join(folder, name);
      await writeFile(file, bytes);
      const documents = { licenseFile: file, diplomaFile: file, certificationFile: file };
      const { profile } = dataOf(await newClient().registerDoctor({ ...aDoctor(), ...documents }));
      expect((await send(profile.certificationUrl ?? '')).bytes).toEqual(bytes);
    });

    test('gets an error for a path outside Node.js', async () => {
      const inNode = Object.getOwnPropertyDescriptor(process, 'getBuiltinModule');
      Object.defineProperty(process, 'getBuiltinModule', { value: undefined, configurable: true });
      try {
        const result = await newClient().registerDoctor({
          ...aDoctorWithFiles(),
          diplomaFile: 'diploma.pdf',
        });
        const text = 'A path can be read in Node.js only; pass a File or a Blob.';
        expect(errorOf(result)).toEqual({
          code: 'FILE_NOT_READABLE',
          message: text,
          fields: { diplomaFile: [text] },
        });
      } finally {
        if (inNode) {
          Object.defineProperty(process, 'getBuiltinModule', inNode);
        }
      }
    });

    test('gets an error for each file that cannot be read, and nothing is sent', async () => {
      const missing = path.join(folder, 'missing.pdf');
      const email = freshEmail();
      const result = await newClient().registerDoctor({
        ...aDoctorWithFiles(),
        email,
        licenseFile: missing,
        certificationFile: folder,
      });
      expect(result).toEqual({
        ok: false,
        error: {
          code: 'FILE_NOT_READABLE',
          message: `The file ${missing} cannot be read.`,
          fields: {
            licenseFile: [`The file ${missing} cannot be read.`],
            certificationFile: [`The file ${folder} cannot be read.`],
          },
        },
      });
      expect(await app.database.accounts.countDocuments({ email })).toBe(0);
    });
  });
});
