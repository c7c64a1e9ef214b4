import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { allFiles, letTwoHoursPass } from '../documents/support/aftermath.ts';
import { stopWithoutWarnings } from '../instances/support/instances.ts';
import { openDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { EMBEDDED_MONGO, useWorkshop } from '../support/gateway-process.ts';
import { freshPassword } from '../support/people.ts';
import { withRetries } from '../support/retries.ts';
import { someAtATime } from '../support/some-at-a-time.ts';
import { dyingAt } from './support/killed-at.ts';
import { expectAllOrNothing, type Registration, registerUntilKilled } from './support/registrations.ts';

/**
 * The moments at which the gateway dies; support/kill-preload.mjs explains them. Each is between two steps of one
 * registration, while other registrations are at any of their steps. The commit point is the insert of the account: it has
 * one moment before, one during and one after it. The numbers are high enough that at least one sender has an answer by
 * then.
 */
const MOMENTS = [
  'moved document uploaded 14',
  'answered insert doctor_profiles 6',
  'sent insert access_tokens 12',
  'sent insert accounts 9',
  'underway insert accounts 13',
  'answered insert accounts 11',
];
/** Of a sweep that has something to remove after each of the rounds, each thing on its own. */
const SWEEP_PATIENCE_MILLIS = 60_000;

const workshop = useWorkshop();
const start = (settings: Record<string, string> = {}) =>
  workshop.start({ MONGODB_URI: undefined, RATE_LIMIT: 'off', LOG_LEVEL: 'warn', ...settings });
const dataDir = () => path.join(workshop.folder, 'data');
const storageDir = () => path.join(workshop.folder, 'storage');

/**
 * Checks registrations after a restart: answered ones exist whole, the others whole or not at all.
 * @returns how many of them exist without a second registration
 */
async function check(registrations: Registration[], url: string): Promise<number> {
  let found = 0;
  await someAtATime(registrations, async (registration) => {
    if (await expectAllOrNothing(registration, url)) {
      found += 1;
    }
  });
  return found;
}

/** Works on the data of a gateway that does not run. */
async function withDatabase(use: (database: TestDatabase) => Promise<void>): Promise<void> {
  const engine = await startEmbeddedMongo({ path: dataDir() });
  // The name that the gateway uses where its connection string has none.
  const database = await openDatabase(engine.uri, 'auth_gateway');
  await use(database).finally(database.close);
  await engine.stop();
}

/** Says that, once it is old, the start sweeps up all that belongs to no registration. */
async function expectOnlyWhatIsOwned(registrations: Registration[]): Promise<void> {
  await withDatabase((database) => letTwoHoursPass({ database, storageDir: storageDir() }));
  const doctors = registrations.filter(({ documents }) => documents).length;
  await withRetries(async () => {
    const gateway = start({ LOG_LEVEL: 'debug' });
    await gateway.url();
    // To its end: documents come last, and it may be that none of them is left to be removed.
    await eventually(
      () => expect(gateway.stdout).toMatch(/the sweep (removed|found|failed)/),
      SWEEP_PATIENCE_MILLIS,
    );
    await stopWithoutWarnings(gateway);
  });
  expect(await allFiles(storageDir())).toHaveLength(3 * doctors);
  await withDatabase(async (database) => {
    expect(await database.count()).toMatchObject({ accounts: registrations.length, profiles: doctors });
    const accounts = new Set(await database.accounts.distinct('_id'));
    expect((await database.tokens.distinct('accountId')).filter((id) => !accounts.has(id))).toEqual([]);
  });
}

// src/auth/registration.ts, with the database inside the process: both die at
// once, and so does whatever was on its way.
test('after a kill -9 every answered registration exists whole, and every other whole or not at all', async () => {
  const password = freshPassword();
  const all: Registration[] = [];
  let sent: Registration[] = [];
  for (const moment of MOMENTS) {
    // Each gateway starts on what the previous kill left behind: no lock of the killed process may be in the way.
    const victim = start(dyingAt(moment));
    await check(sent, await victim.url());
    victim.signal('SIGUSR2');
    sent = await registerUntilKilled(victim, password);
    expect(sent.filter(({ answer }) => answer)).not.toEqual([]);
    expect(sent.filter(({ answer }) => !answer)).not.toEqual([]);
    all.push(...sent);
  }
  const gateway = start();
  const url = await gateway.url();
  // The last gateway died after it had stored a registration and before it answered: the registration exists.
  const answered = sent.filter(({ answer }) => answer).length;
  expect(await check(sent, url)).toBeGreaterThan(answered);
  // No later kill has taken anything from an earlier registration.
  expect(await check(all, url)).toBe(all.length);
  await stopWithoutWarnings(gateway);
  const verified = await promisify(execFile)(process.execPath, [
    EMBEDDED_MONGO,
    'verify',
    '--path',
    dataDir(),
  ]);
  expect(verified.stdout).toContain(' 0 problems');
  await expectOnlyWhatIsOwned(all);
}, 300_000);
