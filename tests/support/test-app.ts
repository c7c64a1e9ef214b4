import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createApp } from '../../src/app/app.ts';

// Loaded with the test file, because it takes seconds under Jest, and a start must not.
import '../../src/app/apis.ts';
import { REQUEST_DEADLINES, type RequestDeadlines } from '../../src/api/http/request-limits.ts';
import { secretReload } from '../../src/app/gateway.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import { DATABASE_LIMITS } from '../../src/database/database-limits.ts';
import { LONGEST_HOLD_MILLIS } from '../../src/mail/outbox.ts';
import { type Clock, systemClock } from '../../src/system/clock.ts';
import { createLog } from '../../src/system/log.ts';
import { LONG_LIMITS, openTestDatabase, type TestDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { ManualClock } from './manual-clock.ts';
import { expectNoSecretsIn } from './response-record.ts';

/** The real app on a real port, with its own database and storage folder. */
export interface TestApp {
  /** The address that it listens on, without a slash at the end. */
  url: string;
  /** The address of the metrics; undefined with METRICS off. */
  metricsUrl: string | undefined;
  database: TestDatabase;
  storageDir: string;
  /** The lines of its log so far, at every level. */
  log: readonly string[];
  /** The time of its clock. */
  now(): number;
  /** Reads the files of its secrets again, as main.ts does at SIGHUP. */
  reloadSecrets(): Promise<void>;
  /** Stops the app, checks that quarantine is empty and that no secret was logged, and removes its data. */
  stop(): Promise<void>;
}

/** Defaults for tests: fast, and with all log lines. */
const SETTINGS = {
  NODE_ENV: 'test',
  BCRYPT_COST: '4',
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'trace',
  STOP_GRACE_SECONDS: '1',
};

/** The clock of the apps of this test file. It stands still until a test advances it, so no machine is too slow. */
export const testClock = new ManualClock(new Date());

/** The audit trail tries again to write its events after this time. */
const WRITE_AGAIN_MILLIS = 1_000;

/** Lets the time pass until the audit trail tries again to write its events, if it waits for that. */
export async function letEventsBeWrittenAgain(): Promise<void> {
  if (testClock.millisToNext <= WRITE_AGAIN_MILLIS) {
    await testClock.advance(WRITE_AGAIN_MILLIS);
  }
}

/** Sums of like acts become events after this time. */
const SUM_MILLIS = 60_000;

/**
 * Lets the minute pass after which sums become events, until a check passes. That much time ends a write that is under way,
 * so the writer is never left waiting for its next try: acts that wait for their event would wait with it.
 */
export async function afterSums(check: () => Promise<void> | void = () => {}): Promise<void> {
  await eventually(async () => {
    await testClock.advance(SUM_MILLIS);
    await letEventsBeWrittenAgain();
    await check();
  });
  await letEventsBeWrittenAgain();
}

/** Lets the time pass until the mails that were ordered by now are due. Wait for them at the mail server. */
export const letMailsBeSent = (): Promise<void> => testClock.advance(LONGEST_HOLD_MILLIS);

/** Node closes idle connections in real time: on a slow machine also those whose callers wait for an answer. */
const LONG_DEADLINES: RequestDeadlines = { ...REQUEST_DEADLINES, idleMillis: 300_000 };

/** The `changes` and the `clock` of {@link createTestApp} with which an app keeps time as in production. */
export const REAL_TIME = [
  { databaseLimits: DATABASE_LIMITS, deadlines: REQUEST_DEADLINES },
  systemClock,
] as const;

/**
 * Starts the app as main.ts would, but on a clock that stands still, and with long limits.
 * @param settings environment variables by name; they replace those of {@link SETTINGS}
 * @param through makes the app's connection string from that of the database, for example for a proxy
 * @param changes replace parts of the configuration that have no setting
 * @param clock for all rules about time
 */
export async function createTestApp(
  settings: Record<string, string> = {},
  through: (uri: string) => string = (uri) => uri,
  changes: Partial<Config> = {},
  clock: Clock = testClock,
): Promise<TestApp> {
  const database = await openTestDatabase();
  const storageDir = await mkdtemp(path.join(tmpdir(), 'auth-gateway-test-'));
  const environment = {
    ...SETTINGS,
    PORT: '0',
    MONGODB_URI: through(database.uri),
    STORAGE_DIR: storageDir,
    ...settings,
  };
  const read = readConfig(environment);
  const config = { ...read, databaseLimits: LONG_LIMITS, deadlines: LONG_DEADLINES, ...changes };
  const log: string[] = [];
  const appLog = createLog(config.logLevel, { write: (line) => void log.push(line) });
  const app = createApp(config, appLog, clock);
  const reloadSecrets = secretReload({ app, config, environment, log: appLog });
  const { address, metrics: metricsUrl, firstSweep } = await app.start();
  // Files have the time of the machine. If a test has moved the clock ahead, a sweep would remove a file that is being uploaded.
  await firstSweep;
  const stop = async () => {
    // A stop waits for exchanges with the database, and only the clock ends those that a cut connection has left behind.
    const stopClock = clock instanceof ManualClock ? clock.run() : () => {};
    try {
      await app.stop().finally(stopClock);
      await expectQuarantineEmpty(storageDir);
      expectNoSecretsIn(log.join(''));
    } finally {
      await database.drop();
      await rm(storageDir, { recursive: true });
    }
  };
  return { url: address, metricsUrl, database, storageDir, log, now: () => clock.now(), reloadSecrets, stop };
}

/** A test app for all tests of the file or block that this is called in. */
export function useTestApp(...options: Parameters<typeof createTestApp>): TestApp {
  let app: TestApp | undefined;
  beforeAll(async () => {
    app = await createTestApp(...options);
  });
  afterAll(() => app?.stop());
  const running = (): TestApp => {
    if (!app) {
      throw new Error('the app runs only while the tests do');
    }
    return app;
  };
  return {
    get url() {
      return running().url;
    },
    get metricsUrl() {
      return running().metricsUrl;
    },
    get database() {
      return running().database;
    },
    get storageDir() {
      return running().storageDir;
    },
    get log() {
      return running().log;
    },
    now: () => running().now(),
    reloadSecrets: () => running().reloadSecrets(),
    stop: () => running().stop(),
  };
}

/** Waits until the quarantine folder is empty. It is emptied after the answer is sent. */
export const expectQuarantineEmpty = (storageDir: string): Promise<void> =>
  eventually(async () => expect(await readdir(path.join(storageDir, '.quarantine'))).toEqual([]));

/** The documents in storage, as `<group>/<name>`. Those in hidden folders are not stored yet, or no more. */
export async function storedDocuments({ storageDir }: TestApp): Promise<string[]> {
  const entries = await readdir(storageDir, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map((file) => path.relative(storageDir, path.join(file.parentPath, file.name)));
  return paths.filter((stored) => !stored.startsWith('.')).sort();
}

/** All records and files that a registration may make, to show that a failed one made none. */
export const inventoryOf = async (app: TestApp) => ({
  documents: await storedDocuments(app),
  ...(await app.database.count()),
});
