import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openStorage } from '../../src/app/storage.ts';
import { newStoredPath } from '../../src/documents/stored-path.ts';
import { systemClock } from '../../src/system/clock.ts';
import { configOn } from '../documents/support/aftermath.ts';
import { openTestDatabase } from '../support/database.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { EMPTY_PROFILE } from '../support/people.ts';
import { storesWrongRecords } from '../support/record-definitions.ts';
import { someAtATime } from '../support/some-at-a-time.ts';

storesWrongRecords();

const workshop = useWorkshop();

const FILES = 100_000;
const ORPHANS = 5_000;
/** On a quiet machine it is below 50 ms. */
const MAX_STALL_MILLIS = 200;

test(`a sweep of ${FILES} documents moves ${ORPHANS} to the trash and does not hold the event loop`, async () => {
  const database = await openTestDatabase();
  const storageDir = path.join(workshop.folder, 'large');
  const opened = await openStorage(configOn({ database, storageDir }), systemClock);
  const paths = Array.from({ length: FILES }, () => newStoredPath('licenses', 'pdf'));
  const past = new Date(Date.now() - 7_200_000);
  await mkdir(path.join(storageDir, 'licenses'), { recursive: true });
  await someAtATime(paths, async (one) => {
    await writeFile(path.join(storageDir, one), '');
    await utimes(path.join(storageDir, one), past, past);
  });
  for (let at = ORPHANS; at < FILES; at += 5_000) {
    const owned = paths.slice(at, at + 5_000).map((licenseFilePath, index) => ({
      _id: `doctor-${at + index}`,
      specialization: '',
      licenseNumber: '',
      licenseFilePath,
      diplomaFilePath: '',
      certificationFilePath: '',
      ...EMPTY_PROFILE,
      createdAt: past,
    }));
    await database.profiles.insertMany(owned);
    await database.accounts.insertMany(
      owned.map(({ _id }) => ({ _id, emailKey: _id, role: 'doctor' })) as never[],
    );
  }
  try {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const startedAt = performance.now();
    const { removed } = await opened.sweep.run();
    delay.disable();
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stdout.write(`A sweep of ${FILES} took ${seconds} s; stall ${(delay.max / 1e6).toFixed(0)} ms\n`);
    expect(removed).toHaveLength(ORPHANS);
    expect(delay.percentile(99.9) / 1e6).toBeLessThan(MAX_STALL_MILLIS);
    expect(await opened.sweep.restore()).toHaveLength(ORPHANS);
  } finally {
    await opened.close();
    await database.drop();
  }
}, 600_000);
