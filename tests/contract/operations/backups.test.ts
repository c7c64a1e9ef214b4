import { cp, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused } from '../../support/expectations.ts';
import { jsonOf, send } from '../../support/http.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { createTestApp, type TestApp, testClock } from '../../support/test-app.ts';

const HOUR = 3_600_000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-backups-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** An app with the embedded database, and backups every two hours. */
const startApp = (settings: Record<string, string> = {}): Promise<TestApp> =>
  createTestApp({
    MONGODB_URI: '',
    DATA_DIR: path.join(folder, 'data'),
    BACKUP_DIR: path.join(folder, 'backups'),
    BACKUP_EVERY_HOURS: '2',
    BACKUP_KEEP: '2',
    METRICS: 'on',
    METRICS_PORT: '0',
    ...settings,
  });

const MADE = /a backup of the database was made/;

/** The number of backups that have ended, well or not. */
const attempts = ({ log }: TestApp): number =>
  log.filter((line) => MADE.test(line) || line.includes('the backup failed')).length;

const backups = async () => (await readdir(path.join(folder, 'backups'))).sort();

const newestBackup = async () => path.join(folder, 'backups', (await backups()).at(-1) ?? '');

const readiness = async ({ url }: TestApp) => {
  const answer = await send(`${url}/readyz`);
  return { status: answer.status, ...jsonOf<{ version: string; checks: object }>(answer) };
};

async function metric({ metricsUrl }: TestApp, name: string): Promise<number> {
  const { text } = await send(`${metricsUrl}/metrics`);
  return Number(new RegExp(`^auth_gateway_backup_${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

test('a gateway with BACKUP_DIR makes backups of its database by itself, and starts from one', async () => {
  const app = await startApp();
  const [before, after] = [aPatient(), aPatient()];
  try {
    expect(await backups()).toHaveLength(1);
    authenticated(await restApi(app.url).registerPatient(before));
    await testClock.advance(2 * HOUR);
    // A backup that is still being made has a folder already.
    await eventually(async () => expect(app.log.filter((line) => MADE.test(line))).toHaveLength(2));
    expect(await backups()).toHaveLength(2);
    authenticated(await restApi(app.url).registerPatient(after));
    expect(await readiness(app)).toMatchObject({
      status: 'ready',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      checks: { database: 'ok', storage: 'ok', hashQueue: 'ok', process: 'ok', backup: 'ok' },
    });
    expect(await metric(app, 'last_success_timestamp_seconds')).toBe(Math.floor(testClock.now() / 1000));
    expect(await metric(app, 'size_bytes')).toBeGreaterThan(4096);
    // The clock of the test may advance while a backup runs.
    expect(await metric(app, 'duration_seconds')).toBeLessThan(7200);
    expect(await metric(app, 'failures_total')).toBe(0);
  } finally {
    await app.stop();
  }

  const backup = await newestBackup();
  const modes = [backup, path.join(backup, 'data.mdb')].map(async (name) =>
    ((await stat(name)).mode & 0o777).toString(8),
  );
  expect(await Promise.all(modes)).toEqual(['700', '600']);
  await cp(backup, path.join(folder, 'restored'), { recursive: true });
  const restored = await startApp({ DATA_DIR: path.join(folder, 'restored') });
  try {
    authenticated(await restApi(restored.url).login(before));
    refused(await restApi(restored.url).login(after), 'credentials');
    // It is the same database, whose last backup is recent.
    expect(await backups()).toHaveLength(2);
  } finally {
    await restored.stop();
  }
});

test('a gateway whose backups fail keeps running, logs the cause, and says that they are overdue', async () => {
  await writeFile(path.join(folder, 'backups'), 'no folder');
  const app = await startApp();
  try {
    expect(app.log.join('')).toMatch(/"level":50.*EEXIST.*the backup failed/);
    expect((await readiness(app)).checks).toMatchObject({ backup: 'has failed, and there is none' });
    // Prometheus sees an increase only above a value that it has seen.
    expect(await metric(app, 'failures_total')).toBe(0);
    expect(await metric(app, 'failures_total')).toBe(1);
    await testClock.advance(HOUR + 1);
    expect(await readiness(app)).toMatchObject({ status: 'ready', checks: { backup: 'is overdue' } });
    expect((await send(`${app.url}/readyz`)).status).toBe(200);
    authenticated(await restApi(app.url).registerPatient(aPatient()));
    await eventually(async () => expect(await metric(app, 'failures_total')).toBeGreaterThan(1));
    expect(await metric(app, 'last_success_timestamp_seconds')).toBe(0);
    await rm(path.join(folder, 'backups'));
    // The clock stands still while a backup is made, or the next one would be due before this one has ended.
    while (!MADE.test(app.log.join(''))) {
      const before = attempts(app);
      await testClock.advance(HOUR / 6);
      await eventually(() => expect(attempts(app)).toBeGreaterThan(before));
    }
    expect((await readiness(app)).checks).toMatchObject({ backup: 'ok' });
    expect(await backups()).toHaveLength(1);
  } finally {
    await app.stop();
  }
});

test('without BACKUP_DIR there are no backups, and nothing speaks of them', async () => {
  const app = await startApp({ BACKUP_DIR: '' });
  try {
    expect((await readiness(app)).checks).not.toHaveProperty('backup');
    expect((await send(`${app.metricsUrl}/metrics`)).text).not.toContain('backup');
    expect(await readdir(folder)).toEqual(['data']);
  } finally {
    await app.stop();
  }
});
