import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openStorage } from '../../../src/app/storage.ts';
import { configOn } from '../../documents/support/aftermath.ts';
import { registeredDoctor } from '../../support/expectations.ts';
import { aDoctor } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { CLOCK_SETTINGS, DAY_MILLIS, testSetClock } from '../../support/set-clock.ts';
import { createTestApp, type TestApp, testClock } from '../../support/test-app.ts';

const START_MILLIS = testClock.now();
/** Sets how far the time of day is ahead of its start. */
const setOffset = (millis: number) => testClock.set(START_MILLIS + millis);

describe.each([{ name: 'the embedded database' }, { name: 'MongoDB' }])('with $name', ({ name }) => {
  const isEmbedded = name !== 'MongoDB';
  let app: TestApp;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'auth-gateway-clock-'));
    const database = isEmbedded ? { MONGODB_URI: '', DATA_DIR: dataDir } : {};
    app = await createTestApp({ ...CLOCK_SETTINGS, ...database });
    if (!isEmbedded) {
      // A MongoDB has a clock of its own, and removes counts that are a day old by it.
      await app.database.db.collection('attempt_counts').dropIndex('expire_1');
    }
  });
  afterEach(() => setOffset(0));
  afterAll(async () => {
    await app.stop();
    await rm(dataDir, { recursive: true });
  });

  testSetClock(() => app.url, setOffset);
});

test('the sweep goes by the clock: it removes what is old, and nothing that has an owner', async () => {
  const app = await createTestApp();
  const storage = await openStorage(configOn(app), testClock);
  try {
    const { token } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
    const orphan = path.join(app.storageDir, '.quarantine', 'orphan');
    await writeFile(orphan, 'left behind');
    const twoHoursAgo = new Date(testClock.now() - 7_200_000);
    await utimes(orphan, twoHoursAgo, twoHoursAgo);
    setOffset(-DAY_MILLIS);
    expect((await storage.sweep.run()).removed).toEqual([]);
    setOffset(0);
    expect((await storage.sweep.run()).removed).toEqual([{ kind: 'upload', id: orphan }]);
    expect(await readdir(path.dirname(orphan))).toEqual([]);
    setOffset(DAY_MILLIS);
    expect((await storage.sweep.run()).removed).toEqual([]);
    expect(await accountOf(app.url, token)).toBeDefined();
  } finally {
    await storage.close();
    await app.stop();
  }
});
