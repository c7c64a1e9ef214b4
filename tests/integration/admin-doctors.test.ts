// The operators' admin: the review of doctors. The commands run in this process, beside a running gateway.
import { userInfo } from 'node:os';
import { admin, adminEventsOf } from '../support/admin-command.ts';
import { newDoctor, resubmit } from '../support/reviews.ts';
import { accountOf } from '../support/session.ts';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp();
const BASE_URL = 'https://auth.example.org';

const run = (...words: string[]) =>
  admin(
    { MONGODB_URI: app.database.uri, STORAGE_DIR: app.storageDir, BASE_URL, LOG_LEVEL: 'fatal' },
    'doctors',
    ...words,
  );

interface Printed {
  id: string;
  next?: string;
  revision: number;
  licenseFileUrl: string;
  newDocuments: { licenseFileUrl: string } | null;
}

const show = async (id: string) => (await run('show', '--id', id, '--json')).json[0] as Printed;

test('doctors list prints those that wait, the oldest first and in pages', async () => {
  const doctors = [await newDoctor(app), await newDoctor(app), await newDoctor(app)];
  // Their time of registration is one, so that their ids decide.
  const ids = doctors.map(({ account }) => `${account.id}`).sort();
  const first = await run('list', '--limit', '2', '--json');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const next = `${(first.json.at(-1) as Printed).next}`;
  const rest = await run('list', '--after', next, '--json');
  const listed = [...first.json.slice(0, -1), ...rest.json] as Printed[];
  expect(listed.map(({ id }) => id)).toEqual(ids);
  expect(listed[0]).toMatchObject({ status: 'pending', revision: 0, specialization: 'Cardiology' });
  expect((await run('list', '--limit', '2')).stdout).toContain(`There may be more: --after ${next}\n`);
  expect(await run('list', '--status', 'verified')).toMatchObject({ stdout: 'There are no such doctors.\n' });
  expect(await run('list', '--after', 'x'.repeat(100_000))).toMatchObject({ code: 1, stdout: '' });
});

test('doctors show prints the documents, also the new ones, and reject, resubmit and approve follow each other', async () => {
  const { account, token } = await newDoctor(app);
  const id = `${account.id}`;
  const before = await show(id);
  expect(before).toMatchObject({ id, status: 'pending', revision: 0, newDocuments: null });
  expect(before.licenseFileUrl).toMatch(/^https:\/\/auth\.example\.org\/storage\/licenses\/\w{40}\.pdf$/);

  const reason = 'Not readable.\nPlease scan it again.';
  const words = ['--email', account.email, '--reason', ` ${reason} `, '--as', 'anna', '--json'];
  const rejected = await run('reject', ...words);
  expect(rejected).toMatchObject({ code: 0, json: [{ id, status: 'rejected', reason, revision: 1 }] });
  expect(await accountOf(app.url, token)).toMatchObject({
    profile: { verification: { status: 'REJECTED', reason } },
  });
  await resubmit(app, token);
  const resubmitted = await show(id);
  expect(resubmitted).toMatchObject({
    status: 'pending',
    revision: 2,
    licenseFileUrl: before.licenseFileUrl,
  });
  const newUrl = resubmitted.newDocuments?.licenseFileUrl;
  expect((await run('show', '--id', id)).stdout).toContain(`new license file url    ${newUrl}\n`);

  const approved = await run('approve', '--id', id, '--revision', '2', '--as', 'bert');
  expect(approved).toMatchObject({ code: 0, stdout: `Doctor ${id} is approved.\n` });
  expect(await show(id)).toMatchObject({ status: 'verified', licenseFileUrl: newUrl, newDocuments: null });
  const ofOperators = await adminEventsOf(app, id);
  const shown = ['reading', 'doctor'];
  expect(ofOperators.map(({ act, reason }) => [act, reason])).toEqual([
    shown,
    ['review', 'rejected'],
    shown,
    shown,
    ['review', 'approved'],
    shown,
  ]);
  const byCommand = { outcome: 'success', systemUser: userInfo().username, byAccountId: null };
  expect(ofOperators.filter(({ act }) => act === 'review')).toMatchObject([
    { ...byCommand, operator: 'anna' },
    { ...byCommand, operator: 'bert' },
  ]);
});

test('of two operators with one revision, one decides', async () => {
  const id = `${(await newDoctor(app)).account.id}`;
  const seen = ['--id', id, '--revision', '0'];
  const both = await Promise.all([
    run('approve', ...seen),
    run('reject', ...seen, '--reason', 'The license has expired.'),
  ]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  const { stderr } = both.find(({ code }) => code === 1) ?? {};
  expect(stderr).toBe('auth-gateway admin: The doctor has changed since. Read again.\n');
  expect(await show(id)).toMatchObject({ revision: 1 });
});

test('doctors finds neither patients nor disabled doctors, and says why', async () => {
  const id = `${(await newDoctor(app)).account.id}`;
  await app.database.accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } });
  for (const words of [['show'], ['approve'], ['reject', '--reason', 'x']]) {
    expect(await run(...words, '--id', id)).toMatchObject({
      code: 1,
      stderr: `auth-gateway admin: Account ${id} is disabled. Only enabled accounts are reviewed.\n`,
    });
  }
  await app.database.accounts.updateOne({ _id: id }, { $set: { role: 'patient' } });
  expect((await run('show', '--id', id)).stderr).toBe(
    `auth-gateway admin: Account ${id} is not a doctor's.\n`,
  );
  expect((await run('show', '--id', '{"$ne":null}')).stderr).toBe(
    'auth-gateway admin: No account has this id.\n',
  );
});
