import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { type TestApp, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const prefixedApp = useTestApp({ TOKEN_PREFIX: 'agw_' });

/** The stored record of a token. */
const recordOf = (token: string, { database }: TestApp = app) =>
  database.tokens.findOne({ _id: token.split('|')[0] ?? '' });

/** A token from each of the three places that issue one. */
async function issueTokens(url = app.url) {
  const api = restApi(url);
  const patient = aPatient();
  return {
    doctor: authenticated(await api.registerDoctor(aDoctor())).token,
    patient: authenticated(await api.registerPatient(patient)).token,
    login: authenticated(await api.login(patient)).token,
  };
}

test("a token is an id, a bar, 40 base-62 characters and their CRC-32 (Sanctum's format)", async () => {
  for (const token of Object.values(await issueTokens())) {
    const shape = /^([0-9A-Za-z_-]+)\|([0-9A-Za-z]{40})([0-9a-f]{8})$/;
    expect(token).toMatch(shape);
    const [, , entropy = '', checksum = ''] = shape.exec(token) ?? [];
    expect(Number.parseInt(checksum, 16)).toBe(crc32(entropy));
  }
});

test('the database has only the SHA-256 of a token', async () => {
  for (const token of Object.values(await issueTokens())) {
    const secret = token.slice(token.indexOf('|') + 1);
    const record = await recordOf(token);
    expect(record?.secretHash).toBe(createHash('sha256').update(secret).digest('hex'));
    expect(JSON.stringify(record)).not.toContain(secret);
    expect(JSON.stringify(record)).not.toContain(secret.slice(0, 40));
  }
});

test('the registration of a doctor issues a doctor-token that may create, update and delete', async () => {
  const { doctor } = await issueTokens();
  expect(await recordOf(doctor)).toMatchObject({
    name: 'doctor-token',
    abilities: ['create', 'update', 'delete'],
  });
});

test('the registration of a patient and every login issue an auth-token without abilities', async () => {
  const { patient, login } = await issueTokens();
  const doctor = aDoctor();
  authenticated(await restApi(app.url).registerDoctor(doctor));
  const doctorLogin = authenticated(await restApi(app.url).login(doctor)).token;
  for (const token of [patient, login, doctorLogin]) {
    expect(await recordOf(token)).toMatchObject({ name: 'auth-token', abilities: null });
  }
});

test('a token never expires by default', async () => {
  for (const token of Object.values(await issueTokens())) {
    expect(await recordOf(token)).toMatchObject({ expiresAt: null });
  }
});

test('a token belongs to the account that it was issued for', async () => {
  const { account, token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
  expect(await recordOf(token)).toMatchObject({ accountId: account.id });
  expect(await accountOf(app.url, token)).toMatchObject({ id: account.id });
});

test('TOKEN_PREFIX precedes a token and is not part of the checksum', async () => {
  for (const token of Object.values(await issueTokens(prefixedApp.url))) {
    const [, entropy = '', checksum = ''] = /\|agw_([0-9A-Za-z]{40})([0-9a-f]{8})$/.exec(token) ?? [];
    expect(Number.parseInt(checksum, 16)).toBe(crc32(entropy));
    const secret = token.slice(token.indexOf('|') + 1);
    const record = await recordOf(token, prefixedApp);
    expect(record?.secretHash).toBe(createHash('sha256').update(secret).digest('hex'));
    succeeded(await restApi(prefixedApp.url).logout(`Bearer ${token}`));
  }
});
