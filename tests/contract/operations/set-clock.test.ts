import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openStorage } from '../../../src/app/open-storage.ts';
import { configOn } from '../../documents/support/aftermath.ts';
import { throughEachDoor } from '../../support/doors.ts';
import { authenticated, refused, registeredDoctor, succeeded } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restDoor } from '../../support/rest-door.ts';
import { accountOf } from '../../support/session.ts';
import { createTestApp, type TestApp, testClock } from '../../support/test-app.ts';

const LOGINS_PER_MINUTE = 3;
const SETTINGS = {
  DOCUMENT_ACCESS: 'signed',
  DOCUMENT_URL_SECRET: 'a secret of more than thirty-two characters',
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: String(LOGINS_PER_MINUTE),
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000',
};
const DAY_MILLIS = 86_400_000;

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
    app = await createTestApp({ ...SETTINGS, ...database });
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

  throughEachDoor((openDoor) => {
    test.each([
      ['back a day', [-DAY_MILLIS]],
      ['forward a day', [DAY_MILLIS]],
      ['forward a day and back', [DAY_MILLIS, 0]],
    ])('when the clock moves %s, sessions go on, and logins and logouts work', async (_case, offsets) => {
      const door = openDoor(app.url);
      const doctor = aDoctor();
      const { token, profile } = registeredDoctor(await door.registerDoctor(doctor));
      for (const offset of offsets) {
        setOffset(offset);
        expect((await accountOf(app.url, token))?.email).toBe(doctor.email);
        const again = authenticated(await door.login(doctor)).token;
        succeeded(await door.logout(`Bearer ${again}`));
        refused(await door.logout(`Bearer ${again}`), 'unauthenticated');
        const other = registeredDoctor(await door.registerDoctor(aDoctor()));
        expect((await send(other.profile.licenseFileUrl)).status).toBe(200);
      }
      // A day later the URL of a document has expired; a day earlier it has not.
      const statusThen = offsets.at(-1) === DAY_MILLIS ? 403 : 200;
      expect((await send(profile.licenseFileUrl)).status).toBe(statusThen);
      succeeded(await door.logout(`Bearer ${token}`));
      refused(await door.logout(`Bearer ${token}`), 'unauthenticated');
    });

    test('a clock that is set back locks no account until it has caught up', async () => {
      const door = openDoor(app.url);
      const patient = aPatient();
      authenticated(await door.registerPatient(patient));
      const guessUntilRefused = async () => {
        const wrong = { ...patient, password: 'not this one' };
        for (let i = 0; i < LOGINS_PER_MINUTE; i += 1) {
          refused(await door.login(wrong), 'credentials');
        }
        const refusal = refused(await door.login(wrong), 'too many attempts');
        expect(Number(refusal.http.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      };
      await guessUntilRefused();
      setOffset(-DAY_MILLIS);
      await guessUntilRefused();
      // So little that the count may still be right.
      setOffset(-DAY_MILLIS - 50_000);
      const refusal = refused(await door.login(patient), 'too many attempts');
      expect(refusal.http.headers.get('retry-after')).toBe('60');
      setOffset(-2 * DAY_MILLIS);
      authenticated(await door.login(patient));
    });
  });
});

test('the sweep goes by the clock: it removes what is old, and nothing that has an owner', async () => {
  const app = await createTestApp();
  const storage = await openStorage(configOn(app), testClock);
  try {
    const { token } = registeredDoctor(await restDoor(app.url).registerDoctor(aDoctor()));
    const orphan = path.join(app.storageDir, '.quarantine', 'orphan');
    await writeFile(orphan, 'left behind');
    const twoHoursAgo = new Date(testClock.now() - 7_200_000);
    await utimes(orphan, twoHoursAgo, twoHoursAgo);
    setOffset(-DAY_MILLIS);
    expect(await storage.sweep.run()).toEqual([]);
    setOffset(0);
    expect(await storage.sweep.run()).toEqual([{ kind: 'upload', id: orphan }]);
    expect(await readdir(path.dirname(orphan))).toEqual([]);
    setOffset(DAY_MILLIS);
    expect(await storage.sweep.run()).toEqual([]);
    expect(await accountOf(app.url, token)).toBeDefined();
  } finally {
    await storage.close();
    await app.stop();
  }
});
