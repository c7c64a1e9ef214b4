import { execFile } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { allFiles, letTwoHoursPass } from '../documents/support/aftermath.ts';
import { stopWithoutWarnings } from '../instances/support/instances.ts';
import { withChances } from '../support/chances.ts';
import { openDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { EMBEDDED_MONGO, serve, servedUri, useWorkshop } from '../support/gateway-process.ts';
import { freshPassword } from '../support/people.ts';
import { someAtATime } from '../support/some-at-a-time.ts';
import { expectAllOrNothing, type Registration, registerAndKill } from './support/registrations.ts';

const ROUNDS = 20;
const EARLIEST_MILLIS = 50;
const LATEST_MILLIS = 600;
/** Of a sweep that has something to remove after each of the rounds, each thing on its own. */
const SWEEP_PATIENCE_MILLIS = 60_000;

const workshop = useWorkshop();
const start = (LOG_LEVEL = 'warn') =>
  workshop.start({ MONGODB_URI: undefined, RATE_LIMIT: 'off', LOG_LEVEL });
const dataDir = () => path.join(workshop.folder, 'data');
const storageDir = () => path.join(workshop.folder, 'storage');

/** Checks registrations after a restart, and says how many of them exist without having been made again. */
async function check(registrations: Registration[], url: string): Promise<number> {
  let found = 0;
  await someAtATime(registrations, async (registration) => {
    if (await expectAllOrNothing(registration, url)) found += 1;
  });
  return found;
}

/** Works on the data of a gateway that does not run. */
async function withDatabase(use: (database: TestDatabase) => Promise<void>): Promise<void> {
  const engine = serve(dataDir());
  // The name that the gateway uses where its connection string has none.
  const database = await openDatabase(await servedUri(engine), 'auth_gateway');
  await use(database).finally(database.close);
  engine.kill('SIGTERM');
  await once(engine, 'close');
}

/** Says that, once it is old, the start sweeps up all that belongs to no registration. */
async function expectOnlyWhatIsOwned(registrations: Registration[]): Promise<void> {
  await withDatabase((database) => letTwoHoursPass({ database, storageDir: storageDir() }));
  const doctors = registrations.filter(({ documents }) => documents).length;
  await withChances(async () => {
    const gateway = start('debug');
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

// Design section 3, with the database inside the process: both die at once, and so does whatever was on its way.
test('after a kill -9 every answered registration exists whole, and every other whole or not at all', async () => {
  const password = freshPassword();
  const all: Registration[] = [];
  let gateway = start();
  let url = await gateway.url();
  for (let round = 0; round < ROUNDS; round += 1) {
    const killAfterMillis = EARLIEST_MILLIS + Math.random() * (LATEST_MILLIS - EARLIEST_MILLIS);
    const sent = await registerAndKill(gateway, { password, killAfterMillis });
    const answered = sent.filter(({ answer }) => answer);
    const unanswered = sent.filter(({ answer }) => !answer);
    all.push(...sent);
    // At once: no lock of the one that was killed may be in the way.
    gateway = start();
    url = await gateway.url();
    expect(await check(answered, url)).toBe(answered.length);
    await check(unanswered, url);
  }
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
