import { type Command, named } from '../../support/database-messages.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import {
  contentOf,
  inShort,
  openTarget,
  type Target,
  useTarget,
  withoutMark,
} from '../support/legacy-command.ts';
import { addFile } from '../support/legacy-service.ts';
import { addLegacyRows } from '../support/legacy-tables.mjs';

const target = useTarget({ isShared: true });
let proxy: DatabaseProxy;
/** The state after an import that nothing has disturbed. */
let expected: Awaited<ReturnType<typeof undisturbed>>;
beforeAll(async () => {
  const { query } = target.legacy.database;
  await addLegacyRows(query, { accounts: 5000, tokens: 5000, doctorEvery: 50, firstId: 100_000 });
  // In one batch, and over the border of two batches: the first of each pair must win, whenever the import is killed.
  await query('ALTER TABLE accounts MODIFY email varchar(255) COLLATE utf8mb4_bin NOT NULL');
  await query("UPDATE accounts SET email = 'Person.100100@Example.org' WHERE id = 100200");
  await query("UPDATE accounts SET email = 'Person.101980@Example.org' WHERE id = 102000");
  // The small disk has no room for a large file.
  await addFile(target.legacy.filesDir, target.legacy.profiles.doctorWithLargeFile.license_file_path);
  proxy = await startDatabaseProxy();
  expected = await undisturbed();
});
afterEach(() => proxy.restore());
afterAll(() => proxy?.stop());

const everything = () => ['import', '--yes', '--admins', 'skip', '--files', target.legacy.filesDir];
const throughProxy = () => ({ MONGODB_URI: proxy.through(target.database.uri) });

/** All that an import has made, without the ids and times of runs. */
async function stateOf({ database, reported }: Target) {
  const content = await contentOf(database);
  const { legacy_runs: runs = [], legacy_batches: batches = [], doctor_profiles = [], ...others } = content;
  return {
    ...others,
    doctor_profiles: doctor_profiles.map(withoutMark),
    runs: runs.length,
    batches: batches.map((batch) => ({ ...(batch as object), run: undefined })),
    reported: inShort(await reported()),
  };
}

async function undisturbed() {
  const other = await openTarget(target.legacy);
  expect(await other.run(...everything())).toMatchObject({ code: 0 });
  const state = await stateOf(other);
  await other.remove();
  return state;
}

/** Numbers that look random, the same in each run of the test. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state >>> 8;
  }
}

const isInsert = ({ name }: Command) => /^insert (?:accounts|doctor_profiles|access_tokens)$/.test(name);
const isRecording = named('update legacy_batches');
/** All are reached until the import is done. Only the last one lets it get on for sure. */
const MOMENTS = [
  { command: isInsert, when: 'before' },
  { command: isInsert, when: 'after' },
  { command: isRecording, when: 'before' },
  { command: isRecording, when: 'after' },
] as const;

test('20 kills during an import end in the same state as an undisturbed import', async () => {
  const random = numbers(15);
  for (let kills = 0; kills < 20; kills += 1) {
    const moment = MOMENTS[kills % MOMENTS.length] ?? MOMENTS[0];
    const skip = moment.command === isInsert ? (random.next().value ?? 0) % 2 : 0;
    const reached = proxy.breakAt({ ...moment, skip }, 'swallow');
    const running = target.start(throughProxy(), ...everything());
    const ended = running.exitCode().then((code) => `ended with ${code}: ${running.stderr}`);
    expect(await Promise.race([reached, ended])).toBeUndefined();
    await running.kill();
    await proxy.restore();
  }
  expect(await target.run(...everything())).toMatchObject({ code: 0 });
  expect(await stateOf(target)).toEqual(expected);
}, 600_000);

test('an import ends with 1 when its database is cut off, and the same command continues it', async () => {
  const cut = proxy.breakAt({ command: named('insert accounts'), when: 'after', skip: 1 }, 'cut all');
  const running = target.start(throughProxy(), ...everything());
  await cut;
  expect(await running.exitCode()).toBe(1);
  expect(running.stderr).toContain('Run the same command again to continue.');
  await proxy.restore();
  expect(await target.run(...everything())).toMatchObject({ code: 0 });
  expect(await stateOf(target)).toEqual(expected);
});

test('an import ends with 1 when the legacy database is killed, and the same command continues it', async () => {
  const held = proxy.hold(named('insert accounts'));
  const running = target.start(throughProxy(), ...everything());
  await held.arrived(1);
  await target.legacy.database.kill();
  held.release();
  expect(await running.exitCode()).toBe(1);
  expect(running.stderr).toContain('auth-gateway legacy: The legacy database does not answer any more: ');
  expect(running.stderr).toContain('Run the same command again to continue.');
  await target.legacy.database.start();
  expect(await target.run(...everything())).toMatchObject({ code: 0 });
  expect(await stateOf(target)).toEqual(expected);
});

test('an import ends after the running batch when it is stopped, and the same command continues it', async () => {
  const held = proxy.hold(named('insert accounts'));
  const running = target.start(throughProxy(), ...everything());
  await held.arrived(1);
  running.signal('SIGTERM');
  await eventually(() => expect(running.stderr).toContain('Stopping after the running batch.'));
  held.release();
  expect(await running.exitCode()).toBe(1);
  expect(running.stderr).toContain('Stopped. Run the same command again to continue.');
  const { accounts } = await target.database.count();
  // One batch, or two if the second was running.
  expect([998, 1998]).toContain(accounts);
  expect(await target.run(...everything())).toMatchObject({ code: 0 });
  expect(await stateOf(target)).toEqual(expected);
});

test('of two imports at the same time, the second is refused', async () => {
  const held = proxy.hold(named('insert accounts'));
  const first = target.start(throughProxy(), ...everything());
  await held.arrived(1);
  const second = await target.run(...everything());
  expect(second).toMatchObject({ code: 2, stdout: '' });
  expect(second.stderr).toContain('Another command of auth-gateway legacy is running.');
  held.release();
  expect(await first.exitCode()).toBe(0);
});
