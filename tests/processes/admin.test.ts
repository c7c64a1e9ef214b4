import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { StoredAuditEvent } from '../../src/stores/audit-event-record.ts';
import { admin, adminProcess } from '../support/admin-command.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused, succeeded } from '../support/expectations.ts';
import { useWorkshop, watch } from '../support/gateway-process.ts';
import { aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { accountOf } from '../support/session.ts';
import { useTestApp } from '../support/test-app.ts';

// What an operator's command does as a process: its outputs, its exit code, the embedded database.
const app = useTestApp();
const workshop = useWorkshop();

/** Far more events than a pipe holds. */
const MANY = 1_500;
const PIPE_BYTES = 65_536;

/** Begins first: the command looks for its database for ten seconds, in which the other tests run. */
let withoutDatabase: ReturnType<typeof admin>;
beforeAll(() => {
  withoutDatabase = admin({ MONGODB_URI: 'mongodb://user:hunter2@127.0.0.1:9/test' }, 'audit');
});

const events = () => app.database.db.collection<StoredAuditEvent>('audit_events');

/** A patient whose registration is in the audit trail. */
async function somebody() {
  const patient = aPatient();
  const { account } = authenticated(await restApi(app.url).registerPatient(patient));
  await eventually(async () => expect(await events().countDocuments({ accountId: account.id })).toBe(1));
  return { id: account.id, email: patient.email };
}

test('a command fails if it cannot write its output, as on a full disk', async () => {
  const { email } = await somebody();
  const command = `"${process.execPath}" "${path.resolve('dist/auth-gateway.js')}" admin audit --email ${email} > /dev/full`;
  const child = spawn('/bin/sh', ['-c', command], {
    env: { PATH: process.env.PATH, MONGODB_URI: app.database.uri },
  });
  const asked = watch(child);
  expect(await asked.exitCode()).toBe(1);
  expect(asked.stderr).toMatch(/^auth-gateway admin: ENOSPC.*\n$/);
});

test('audit stops when its reader stops', async () => {
  const settings = { MONGODB_URI: app.database.uri };
  const { id } = await somebody();
  const event = await events().findOne({ accountId: id });
  if (!event) {
    throw new Error('the trail has no event');
  }
  const accountId = 'busy';
  const many = Array.from({ length: MANY }, (_, n) => ({ ...event, _id: `many ${n}`, accountId }));
  await events().insertMany(many);
  const { stdout, json } = await admin(settings, 'audit', '--account', accountId, '--json');
  expect(json).toHaveLength(MANY);
  expect(stdout.length).toBeGreaterThan(5 * PIPE_BYTES);

  const env = { PATH: process.env.PATH, ...settings };
  const child = spawn(process.execPath, ['dist/auth-gateway.js', 'admin', 'audit'], { env });
  const running = watch(child);
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await running.exitCode()).toBe(0);
  expect(running.stderr).toBe('');
});

test('a command reports wrong settings and a missing database without a stack', async () => {
  const wrong = await adminProcess({ PORT: 'hunter2' }, 'audit');
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toContain('PORT');
  const folder = path.join(workshop.folder, 'mistyped');
  const mistyped = await admin({ DATA_DIR: folder }, 'audit');
  expect(mistyped).toMatchObject({ code: 1, stdout: '' });
  expect(mistyped.stderr).toContain(folder);
  expect(existsSync(folder)).toBe(false);
  const away = await withoutDatabase;
  expect(away).toMatchObject({ code: 1, stdout: '' });
  for (const { stderr } of [wrong, mistyped, away]) {
    expect(stderr).not.toMatch(/\n\s+at |hunter2/);
  }
});

test('a command works beside a gateway with the embedded database and after its end', async () => {
  const gateway = workshop.start({ MONGODB_URI: undefined });
  const url = await gateway.url();
  const patient = aPatient();
  const { token } = authenticated(await restApi(url).registerPatient(patient));
  const settings = { DATA_DIR: path.join(workshop.folder, 'data') };
  expect(await adminProcess(settings, 'accounts', 'disable', '--email', patient.email)).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await accountOf(url, token)).toBeUndefined();
  refused(await restApi(url).login(patient), 'credentials');

  expect(await gateway.stop()).toBe(0);
  expect(await adminProcess(settings, 'accounts', 'enable', '--email', patient.email)).toMatchObject({
    code: 0,
  });
  const told = await admin(settings, 'audit', '--email', patient.email, '--json');
  expect(told.json).toMatchObject([
    { act: 'registration', outcome: 'success' },
    { act: 'disabling', channel: 'admin' },
    { act: 'login', outcome: 'failure', reason: 'disabled account' },
    { act: 'enabling', channel: 'admin' },
  ]);

  const restarted = workshop.start({ MONGODB_URI: undefined });
  succeeded(await restApi(await restarted.url()).login(patient));
  expect(await restarted.stop()).toBe(0);
});
