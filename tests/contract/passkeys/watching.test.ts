import { eventually } from '../../support/eventually.ts';
import {
  accepted,
  aPasskeyOwner,
  loginCredential,
  PASSKEYS,
  passkeysByRest,
} from '../../support/passkeys.ts';
import { scrape } from '../../support/scrape.ts';
import { aPerson } from '../../support/second-factor.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp({ ...PASSKEYS, METRICS: 'on', METRICS_PORT: '0' });
const FIVE_MINUTES = 300_000;

test('a passkey counts as a second factor in the metrics, and one that is refused is no error', async () => {
  const { authenticator } = await aPasskeyOwner(app.url);
  await aPerson(app.url);
  const login = async (otherwise: object) =>
    passkeysByRest(app.url)('loginWithPasskey', {
      credential: await loginCredential(app.url, authenticator, otherwise),
    });
  accepted(await login({}));
  expect((await login({ isVerified: false })).ok).toBe(false);
  const samples = await scrape(app);
  const logins = samples.filter(({ name }) => name === 'auth_gateway_logins_total');
  const outcomes = Object.fromEntries(logins.map(({ labels, value }) => [labels.outcome, value]));
  expect(outcomes).toEqual({ 'refused passkey': 1, success: 1 });
  await eventually(async () => {
    testClock.move(FIVE_MINUTES);
    const accounts = (await scrape(app)).filter(({ name }) => name === 'auth_gateway_accounts');
    const patients = accounts.filter(({ labels }) => labels.role === 'patient');
    const counts = Object.fromEntries(patients.map(({ labels, value }) => [labels.second_factor, value]));
    expect(counts).toEqual({ on: 1, off: 1 });
  });
});
