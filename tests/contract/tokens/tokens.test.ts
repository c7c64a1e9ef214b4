import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { tokenIdOf } from '../../support/session.ts';
import { type TestApp, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const prefixedApp = useTestApp({ TOKEN_PREFIX: 'agw_' });

/** The stored record of a token. */
const recordOf = (token: string, { database }: TestApp = app) =>
  database.tokens.findOne({ _id: tokenIdOf(token) });

/** A token from each of the places that issue one. */
async function issueTokens(url = app.url) {
  const api = restApi(url);
  const [patient, doctor] = [aPatient(), aDoctor()];
  return {
    doctor: authenticated(await api.registerDoctor(doctor)).token,
    patient: authenticated(await api.registerPatient(patient)).token,
    login: authenticated(await api.login(patient)).token,
    doctorLogin: authenticated(await api.login(doctor)).token,
  };
}

test.each([
  ['', app],
  ['agw_', prefixedApp],
])(
  "a token is an id, a bar, the prefix '%s', 40 base-62 characters and their CRC-32 (Sanctum's format), and only its SHA-256 is stored",
  async (prefix, issuer) => {
    const shape = new RegExp(`^[0-9A-Za-z_-]+\\|${prefix}([0-9A-Za-z]{40})([0-9a-f]{8})$`);
    for (const token of Object.values(await issueTokens(issuer.url))) {
      expect(token).toMatch(shape);
      const [, entropy = '', checksum = ''] = shape.exec(token) ?? [];
      expect(Number.parseInt(checksum, 16)).toBe(crc32(entropy));
      const secret = token.slice(token.indexOf('|') + 1);
      const record = await recordOf(token, issuer);
      // It never expires by default.
      expect(record).toMatchObject({
        secretHash: createHash('sha256').update(secret).digest('hex'),
        expiresAt: null,
      });
      expect(JSON.stringify(record)).not.toContain(entropy);
      succeeded(await restApi(issuer.url).logout(`Bearer ${token}`));
    }
  },
);

test('the registration of a doctor issues a doctor-token that may create, update and delete, and all others an auth-token', async () => {
  const { doctor, ...others } = await issueTokens();
  const abilities = ['create', 'update', 'delete'];
  expect(await recordOf(doctor)).toMatchObject({ name: 'doctor-token', abilities });
  for (const token of Object.values(others)) {
    expect(await recordOf(token)).toMatchObject({ name: 'auth-token', abilities: null });
  }
});
