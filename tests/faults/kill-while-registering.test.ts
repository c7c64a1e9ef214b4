import { execFile } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { allFiles, letTwoHoursPass } from '../documents/support/aftermath.ts';
import { openDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import {
  EMBEDDED_MONGO,
  type GatewayProcess,
  serve,
  servedUri,
  useWorkshop,
} from '../support/gateway-process.ts';
import { freshPassword } from '../support/people.ts';
import { expectAllOrNothing, type Registration, registerAndKill } from './support/registrations.ts';

const ROUNDS = 20;
const EARLIEST_MILLIS = 50;
const LATEST_MILLIS = 600;
const CHECKS_AT_A_TIME = 8;

const workshop = useWorkshop();
const start = () => workshop.start({ MONGODB_URI: undefined, RATE_LIMIT: 'off', LOG_LEVEL: 'warn' });
const dataDir = () => path.join(workshop.folder, 'data');
const storageDir = () => path.join(workshop.folder, 'storage');

/** Checks registrations after a restart, and says how many of them exist without having been made again. */
async function check(registrations: Registration[], url: string): Promise<number> {
  const left = [...registrations];
  let found = 0;
  const checker = async () => {
    for (let next = left.pop(); next; next = left.pop()) if (await expectAllOrNothing(next, url)) found += 1;
  };
  await Promise.all(Array.from({ length: CHECKS_AT_A_TIME }, checker));
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

async function stop(gateway: GatewayProcess): Promise<void> {
  gateway.signal('SIGTERM');
  expect(await gateway.exitCode()).toBe(0);
  expect(gateway.stderr).toBe('');
  // The start line, and no warning.
  expect(gateway.stdout.trim().split('\n')).toHaveLength(1);
}

/** Says that, once it is old, the start sweeps up all that belongs to no registration. */
async function expectOnlyWhatIsOwned(registrations: Registration[]): Promise<void> {
  await withDatabase((database) => letTwoHoursPass({ database, storageDir: storageDir() }));
  const doctors = registrations.filter(({ documents }) => documents).length;
  const gateway = start();
  await gateway.url();
  await eventually(async () => expect(await allFiles(storageDir())).toHaveLength(3 * doctors));
  await stop(gateway);
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
  await stop(gateway);
  const verified = await promisify(execFile)(process.execPath, [
    EMBEDDED_MONGO,
    'verify',
    '--path',
    dataDir(),
  ]);
  expect(verified.stdout).toContain(' 0 problems');
  await expectOnlyWhatIsOwned(all);
}, 300_000);
