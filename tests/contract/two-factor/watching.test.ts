import { ALL_CHECKS } from '../../../src/cli/check/all-checks.ts';
import type { NamedFinding } from '../../../src/cli/check/check.ts';
import { checkerWith } from '../../../src/cli/check/run-check.ts';
import { runnerOf } from '../../../src/cli/command-line.ts';
import { eventually } from '../../support/eventually.ts';
import { addPasskey, loginCredential, PASSKEYS, passkeysByRest } from '../../support/passkeys.ts';
import { collectOutputs } from '../../support/program.ts';
import { newReviewer } from '../../support/reviews.ts';
import { scrape } from '../../support/scrape.ts';
import {
  aStoredOwner,
  aStoredPerson,
  byRest,
  codeAt,
  done,
  TWO_FACTOR,
  wrongCode,
} from '../../support/second-factor.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const METRICS = { METRICS: 'on', METRICS_PORT: '0' };
const app = useTestApp({ ...TWO_FACTOR, ...PASSKEYS, ...METRICS, TWO_FACTOR_REQUIRED: 'reviewer' });

const ACCOUNTS = 'auth_gateway_accounts';

/** How many accounts of a role the metrics show. */
async function shown(role: string, second_factor: string): Promise<{ value?: number; required?: string }> {
  const found = (await scrape(app)).find(
    ({ name, labels }) => name === ACCOUNTS && labels.role === role && labels.second_factor === second_factor,
  );
  return found ? { value: found.value, required: String(found.labels.required) } : {};
}

test('the metrics count the accounts of each role with and without a second factor, every five minutes', async () => {
  await newReviewer(app);
  await aStoredOwner(app.database);
  await addPasskey(app.url, await aStoredPerson(app.database));
  const disabled = await aStoredPerson(app.database);
  await app.database.accounts.updateOne({ _id: disabled.id }, { $set: { disabledAt: new Date() } });
  expect(await shown('patient', 'on')).toEqual({ value: 0, required: 'false' });
  testClock.move(300_000);
  await eventually(async () => {
    expect(await shown('patient', 'on')).toEqual({ value: 2, required: 'false' });
    expect(await shown('patient', 'off')).toEqual({ value: 0, required: 'false' });
    expect(await shown('reviewer', 'off')).toEqual({ value: 1, required: 'true' });
  });
});

test('a login that needs a code, a wrong one and a refused passkey are no errors in the metrics', async () => {
  const { email, password, secretKey } = await aStoredOwner(app.database);
  const { authenticator } = await addPasskey(app.url, await aStoredPerson(app.database));
  for (const isVerified of [false, true]) {
    const credential = await loginCredential(app.url, authenticator, { isVerified });
    expect((await passkeysByRest(app.url)('loginWithPasskey', { credential })).ok).toBe(isVerified);
  }
  const act = byRest(app.url);
  const { challenge } = await act('login', { email, password });
  await act('login', { email, password, code: wrongCode(secretKey) });
  await act('completeLogin', { challenge, code: wrongCode(secretKey) });
  done(await act('completeLogin', { challenge, code: codeAt(secretKey) }));
  const logins = (await scrape(app)).filter(({ name }) => name === 'auth_gateway_logins_total');
  const counts = Object.fromEntries(logins.map(({ labels, value }) => [labels.outcome, value]));
  expect(counts).toEqual({
    ...{ 'second factor required': 2, 'wrong code': 1, 'refused passkey': 1, success: 2 },
  });
});

/** What the checker finds about second factors. */
async function findings(settings: Record<string, string>): Promise<string[]> {
  const environment = { MONGODB_URI: app.database.uri, STORAGE_DIR: app.storageDir, PORT: '0', ...settings };
  const checks = ALL_CHECKS.filter(({ name }) => name === 'database');
  const { stdout } = await collectOutputs((outputs) =>
    runnerOf(checkerWith({ checks }))(['--json'], () => environment, outputs),
  );
  const found = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as NamedFinding);
  return found.filter(({ check }) => check === 'second factor').map(({ level, text }) => `${level}: ${text}`);
}

test('the doctor names missing and old lines, and reviewers without a second factor', async () => {
  const { TWO_FACTOR_SECRET: first } = TWO_FACTOR;
  const second = 'another line of the secret, long enough';
  const policy = { TWO_FACTOR_REQUIRED: 'reviewer' };
  await app.database.accounts.updateMany({ role: 'reviewer' }, { $set: { role: 'patient' } });
  const person = await aStoredOwner(app.database);
  const stored = await app.database.db.collection('factors').countDocuments({ kind: 'app' });
  expect(await findings({ TWO_FACTOR_SECRET: first })).toEqual([]);
  expect(await findings({ TWO_FACTOR_SECRET: first, ...policy })).toEqual([
    'ok: All reviewers have a second factor.',
  ]);
  const unreadable = [expect.stringMatching(/^error: TWO_FACTOR_SECRET lacks a line /)];
  expect(await findings({})).toEqual(unreadable);
  expect(await findings({ TWO_FACTOR_SECRET: second })).toEqual(unreadable);
  const lines = (...words: string[]) => ({ TWO_FACTOR_SECRET: words.join('\n') });
  expect(await findings(lines(second, first))).toEqual([
    `note: ${stored} secrets of authenticator apps still need another line of TWO_FACTOR_SECRET than the first.`,
  ]);
  expect(await findings(lines(first, second))).toEqual([
    'ok: No secret of an authenticator app needs another line of TWO_FACTOR_SECRET than the first.',
  ]);
  await app.database.accounts.updateOne({ _id: person.id }, { $set: { role: 'reviewer' } });
  expect(await findings({ TWO_FACTOR_SECRET: first, ...policy })).toEqual([
    'ok: All reviewers have a second factor.',
  ]);
  await newReviewer(app);
  expect(await findings({ TWO_FACTOR_SECRET: first, ...policy })).toEqual([
    'warning: Reviewers without the second factor that TWO_FACTOR_REQUIRED asks for: 1. They cannot review.',
  ]);
});
