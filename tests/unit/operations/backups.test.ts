import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BackupFolder } from '../../../src/database/backup-folder.ts';
import { Backups, scheduleBackups, type WriteBackup } from '../../../src/database/backups.ts';
import { createLog } from '../../../src/system/log.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const ID = '0123456789ab';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) {
    await stop();
  }
});

const inFolder = folderOfEachTest();
const inBackups = (...names: string[]) => inFolder('backups', ...names);

/** As the engine does it: the folder appears with its data. */
const write: WriteBackup = async (folder) => {
  await mkdir(folder);
  await writeFile(path.join(folder, 'data.mdb'), 'data');
};

const fail: WriteBackup = async () => {
  throw new Error('no space left on device');
};

/** Starts the schedule of a gateway: a backup every four hours. Its clock begins at noon. */
function begin({ writes = write, clock = new ManualClock(), keep = 3 } = {}) {
  const log: string[] = [];
  const backups = new Backups({
    settings: { dir: inBackups(), everyMillis: 4 * HOUR, keep },
    folder: new BackupFolder(inBackups(), ID),
    write: writes,
    clock,
    log: createLog('info', { write: (line) => void log.push(line) }),
  });
  const schedule = scheduleBackups(backups, clock);
  stops.push(schedule.stop);
  return { backups, clock, log, schedule };
}

/** The same, after the first look at the folder. */
async function start(given: Parameters<typeof begin>[0] = {}) {
  const begun = begin(given);
  await begun.schedule.first;
  return begun;
}

/** Lets time pass until the next look at the folder has ended. */
async function pass(clock: ManualClock, millis: number): Promise<void> {
  await clock.advance(millis);
  await eventually(() => expect(clock.pending).toBe(1));
}

const names = async () => (await readdir(inBackups())).sort();
const at = (time: string, id = ID) => `2026-01-31T${time}Z-${id}`;

/** A folder that somebody has put there. */
const place = async (...placed: string[]) => {
  for (const name of placed) {
    await mkdir(inBackups(name), { recursive: true });
    await writeFile(inBackups(name, 'data.mdb'), 'older data');
  }
};

test('the first backup is made at the start, the next ones at their time, and the oldest are removed', async () => {
  const { clock, backups, log } = await start();
  expect(await names()).toEqual([at('12-00-00')]);
  await pass(clock, 4 * HOUR - 1);
  expect(await names()).toHaveLength(1);
  await pass(clock, 1);
  expect(await names()).toEqual([at('12-00-00'), at('16-00-00')]);
  for (let made = 3; made <= 5; made += 1) {
    await pass(clock, 4 * HOUR);
    expect(log).toHaveLength(made);
  }
  expect(await names()).toEqual([
    at('20-00-00'),
    '2026-02-01T00-00-00Z-0123456789ab',
    '2026-02-01T04-00-00Z-0123456789ab',
  ]);
  expect(JSON.parse(log.at(-1) ?? '')).toMatchObject({
    msg: 'a backup of the database was made; documents are not in it',
    bytes: 4,
    removed: 1,
  });
  expect(backups.figures).toEqual({
    lastTakenAt: Date.parse('2026-02-01T04:00:00Z'),
    lastSizeBytes: 4,
    lastDurationMillis: 0,
    failures: 0,
  });
});

test('a start after a short stop makes no backup, and one after a long stop makes one at once', async () => {
  await place(at('09-00-00'));
  const { backups, clock } = await start();
  expect(await names()).toEqual([at('09-00-00')]);
  expect(backups.figures).toMatchObject({
    lastTakenAt: Date.parse('2026-01-31T09:00:00Z'),
    lastSizeBytes: 10,
    lastDurationMillis: undefined,
  });
  await pass(clock, HOUR - 1);
  expect(await names()).toHaveLength(1);
  await pass(clock, 1);
  expect(await names()).toEqual([at('09-00-00'), at('13-00-00')]);
  await start({ clock: new ManualClock(new Date('2026-02-02T00:00:00Z')) });
  expect(await names()).toHaveLength(3);
});

test('a failed backup is logged and counted, tried again every ten minutes, and overdue after an hour', async () => {
  let writes = fail;
  const { backups, clock, log } = await start({ writes: (...given) => writes(...given) });
  expect(log.map((line) => JSON.parse(line).err.message)).toEqual(['no space left on device']);
  for (let attempts = 1; attempts <= 6; attempts += 1) {
    expect([backups.figures.failures, backups.isOverdue]).toEqual([attempts, false]);
    expect(backups.problem).toBe('has failed, and there is none');
    await pass(clock, 10 * MINUTE);
  }
  await pass(clock, 1_000);
  expect(backups.isOverdue).toBe(true);
  writes = write;
  await pass(clock, 10 * MINUTE);
  expect(backups.problem).toBeUndefined();
  expect(backups.figures).toMatchObject({ failures: 7, lastSizeBytes: 4 });
  writes = fail;
  await pass(clock, 5 * HOUR);
  expect(backups.problem).toBeUndefined();
  await pass(clock, 1);
  expect(backups.problem).toBe('is overdue');
});

test('only backups of this database are removed, and what a kill has left of one', async () => {
  const foreign = [
    at('03-00-00', 'ba9876543210'),
    `${at('03-30-00', 'ba9876543210')}.partial-7`,
    'before-the-upgrade',
    'before-the-upgrade.partial-7',
    '2026-13-31T03-00-00Z-0123456789ab',
  ];
  const old = [at('01-00-00'), at('02-00-00'), at('04-00-00')];
  await place(...foreign, ...old, `${at('05-00-00')}.partial-4711`);
  await writeFile(inBackups(at('00-00-01')), 'a file');
  await symlink(inBackups('before-the-upgrade'), inBackups(at('00-00-02')));
  await start({ keep: 2 });
  expect(await names()).toEqual(
    [...foreign, at('00-00-01'), at('00-00-02'), at('04-00-00'), at('12-00-00')].sort(),
  );
});

test('what a kill has left of a backup is removed by a start that is not due', async () => {
  await place(at('11-00-00'), `${at('11-59-00')}.partial-4711`);
  await start();
  expect(await names()).toEqual([at('11-00-00')]);
});

test('backups of a clock that was ahead do not stay in the place of later ones', async () => {
  await place('2031-01-01T00-00-00Z-0123456789ab', '2031-01-02T00-00-00Z-0123456789ab', at('01-00-00'));
  const { clock } = await start();
  expect(await names()).toEqual([at('01-00-00'), at('12-00-00'), '2031-01-02T00-00-00Z-0123456789ab']);
  await pass(clock, 4 * HOUR);
  expect(await names()).toEqual([at('01-00-00'), at('12-00-00'), at('16-00-00')]);
});

test('a clock that is set back or ahead makes no gap, and never removes the newest data', async () => {
  const future = '2031-01-01T00-00-00Z-0123456789ab';
  await place(future);
  const { clock, backups } = await start({ keep: 1 });
  expect(await names()).toEqual([at('12-00-00')]);
  clock.move(30 * HOUR);
  expect(backups.isOverdue).toBe(true);
  await pass(clock, 10 * MINUTE);
  expect(await names()).toEqual(['2026-02-01T18-10-00Z-0123456789ab']);
  clock.move(-30 * HOUR);
  await pass(clock, 10 * MINUTE);
  expect(await names()).toEqual([at('12-20-00')]);
  expect(backups.isOverdue).toBe(false);
  // As NTP corrects it.
  clock.move(-2_000);
  await pass(clock, 10 * MINUTE);
  expect(backups.dueInMillis).toBe(4 * HOUR - 10 * MINUTE + 2_000);
});

test('a backup that somebody removes is made again', async () => {
  const { clock } = await start();
  await rm(inBackups(at('12-00-00')), { recursive: true });
  await pass(clock, 10 * MINUTE);
  expect(await names()).toEqual([at('12-10-00')]);
});

test('a backup under way keeps the next one waiting, and a stop ends it', async () => {
  const running: AbortSignal[] = [];
  const writes: WriteBackup = (_folder, signal) =>
    new Promise((_, reject) => {
      running.push(signal);
      signal.addEventListener('abort', () => reject(new Error('killed')));
    });
  const { clock, backups, log, schedule } = begin({ writes });
  await eventually(() => expect(running).toHaveLength(1));
  await clock.advance(9 * HOUR);
  expect(running).toHaveLength(1);
  expect(backups.isOverdue).toBe(true);
  await schedule.stop();
  expect(running[0]?.aborted).toBe(true);
  expect([log, backups.figures.failures, clock.pending]).toEqual([[], 0, 0]);
});

test('a stop does not wait for a disk that hangs', async () => {
  let hasBegun = false;
  const writes: WriteBackup = () => {
    hasBegun = true;
    return new Promise(() => {});
  };
  const { clock, schedule } = begin({ writes });
  await eventually(() => expect(hasBegun).toBe(true));
  const stopped = schedule.stop();
  await clock.advance(1_000);
  await stopped;
});
